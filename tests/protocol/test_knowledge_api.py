"""Every endpoint of the KOI API has the fields that its clients read, below the main address and at
an address of its own."""

import socket

import pytest

from harness.pages import ARTICLE, page_server
from harness.program import Program

ADA = "orn:personal-koi.entity:person-ada-holt-"
KINDS = {
    "type_key", "label", "folder", "phonetic_matching", "min_context_people",
    "similarity_threshold", "semantic_threshold", "require_token_overlap",
}  # fmt: skip
RELATION = {
    "subject_uri", "predicate", "object_uri", "confidence", "source", "source_rid",
    "subject_name", "subject_type", "object_name", "object_type",
}  # fmt: skip
DOCUMENT = {
    "vault_path", "document_rid", "mention_count", "doc_date", "first_seen", "source_url",
    "quartz_url",
}  # fmt: skip
PREVIEW = {
    "url", "rid", "domain", "title", "description", "content_summary", "content_hash",
    "word_count", "rendered_with", "metadata", "matching_entities", "fetch_error", "untrusted",
}  # fmt: skip
EXTRACTION = {
    "url", "title", "summary", "topics", "model_used", "entities", "relationships", "ingestion",
}  # fmt: skip
INGESTED = {
    "success", "url", "rid", "document_rid", "vault_note_path", "entities_resolved", "entities",
}  # fmt: skip
MONITOR = {
    "enabled", "running", "monitored_urls", "scan_interval_seconds", "last_scan", "scan_count",
    "sources",
}  # fmt: skip
GITHUB = {
    "running", "scan_interval_seconds", "last_scan", "total_scans", "active_repos", "total_files",
    "total_code_entities", "total_documents", "total_chunks", "total_embeddings", "repos",
}  # fmt: skip
HEALTH = {
    "status", "mode", "database", "embedding_model", "semantic_matching", "entity_types",
    "schema_version", "resolution_tiers",
}  # fmt: skip


@pytest.fixture(scope="module")
def api(binary, tmp_path_factory):
    """A server with a vault, a page and two addresses."""
    program = Program(binary, tmp_path_factory.mktemp("api"))
    vault = program.home / "vault"
    vault.mkdir()
    with socket.socket() as free, page_server() as pages:
        free.bind(("127.0.0.1", 0))
        own = f"127.0.0.1:{free.getsockname()[1]}"
        free.close()
        program.settings = {"VAULT_PATH": str(vault), "LOREWELL_WEB_REACHABLE": pages.address}
        server = program.serve("--koi-addr", own)
        with server.client() as http:
            yield Api(http, [f"{server.origin}/compat/koi", f"http://{own}"], pages)
        server.kill()


class Api:
    def __init__(self, http, bases, pages):
        self.http, self.bases, self.pages = http, bases, pages

    def both(self, ask):
        """Asks both addresses; returns both answers."""
        here, there = (ask(base) for base in self.bases)
        assert (here.status_code, there.status_code) == (200, 200), (here.text, there.text)
        return here.json(), there.json()

    def get(self, path, **params):
        here, there = self.both(lambda base: self.http.get(f"{base}{path}", params=params))
        assert here == there, path
        return here

    def post(self, path, **body):
        """Asks one address after the other, so every request is made twice."""
        return self.both(lambda base: self.http.post(f"{base}{path}", json=body))


def test_a_page_goes_all_the_way_at_both_addresses(api):
    url = api.pages.put("/herring", ARTICLE)
    for seen in api.post("/web/preview", url=url):
        assert PREVIEW <= seen.keys(), seen
        assert {"title", "description", "keywords", "author", "published_date", "og_image",
                "site_name"} <= seen["metadata"].keys()  # fmt: skip
        assert seen["rid"].startswith("orn:web.page:127_0_0_1_") and seen["fetch_error"] is None
        assert len(seen["content_hash"]) == 64 and len(seen["content_summary"]) <= 2_100
    for read in api.post("/web/process", url=url, auto_ingest=False):
        assert EXTRACTION <= read.keys(), read
        assert {"name", "type", "description", "confidence", "context"} <= read["entities"][0].keys()
        assert {"subject", "predicate", "object", "confidence"} <= read["relationships"][0].keys()
    told = {
        "entities": [{"name": "Ada Holt", "type": "Person"}, {"name": "Herring Foundation", "type": "Organization"}],
        "relationships": [{"subject": "Ada Holt", "predicate": "founded", "object": "Herring Foundation"}],
    }  # fmt: skip
    first, again = api.post("/web/ingest", url=url, **told)
    assert INGESTED <= first.keys() and first["document_rid"] == "web:" + first["rid"], first
    assert {"name", "uri", "type", "is_new"} <= first["entities"][0].keys()
    assert again["already_ingested"] and {"rid", "vault_note_path", "message"} <= again.keys()
    assert again["vault_note_path"] == first["vault_note_path"]
    for seen in api.post("/web/preview", url=url):
        assert seen["already_ingested"] and {"submission_id", "title", "rid", "message"} <= seen.keys()
    uri = next(one["uri"] for one in first["entities"] if one["name"] == "Ada Holt")
    assert uri.startswith(ADA)

    for found in api.post("/entity/resolve", label="Ada Hult", type_hint="person", limit=3):
        assert not found["is_new"]
        assert {"name", "uri", "type", "confidence", "merged_with", "tier", "reason"} <= found["candidates"][0].keys()
    assert api.get("/entity/resolve", label="Ada Holt")["candidates"][0]["uri"] == uri
    around = api.get(f"/relationships/{uri.replace(':', '%3A')}")
    assert around["count"] == 1 and around["relationships"][0].keys() >= RELATION
    assert api.get(f"/relationships/{uri}", predicate="knows")["count"] == 0
    documents = api.get(f"/entity/{uri}/mentioned-in", limit=5)
    assert {"entity_uri", "total_count", "truncated", "documents"} <= documents.keys()
    assert all(one.keys() >= DOCUMENT for one in documents["documents"]) and documents["documents"]
    several, _ = api.post("/entities/mentioned-in", uris=[uri], limit_per_entity=5)
    assert several["total_entities"] == 1 and several["results"][uri]["total_count"] == documents["total_count"]
    assert {"entity", "documents"} <= api.get(f"/entity/{uri}").keys()
    hits = api.get("/entity-search", query="Ada Holt", limit=3)
    assert {"query", "search_method", "type_filter", "results", "count"} <= hits.keys()
    assert {"uri", "name", "type", "similarity", "aliases", "relationship_count"} <= hits["results"][0].keys()
    for texts in api.post("/search", query="count the herring", limit=2, include_chunks=True):
        assert {"results", "count", "query", "search_type", "source_filter"} <= texts.keys()
        row = texts["results"][0]
        assert {"rid", "title", "content_preview", "similarity", "source", "metadata"} <= row.keys()
        assert len(texts["results"]) <= 2 and len(row["content_preview"]) <= 501
        part = texts["chunk_results"][0]
        assert {"chunk_rid", "document_rid", "doc_title", "text", "similarity", "source", "metadata"} <= part.keys()
        assert isinstance(part["metadata"], dict)
    assert "chunk_results" not in api.get("/search", q="count the herring", limit=1)


def test_watching_is_alike_at_both_addresses(api):
    url = api.pages.put("/watched", ARTICLE)
    first, again = api.post("/web/monitor/add", url=url, title="Fish")
    assert first["status"] in ("added", "upgraded_to_monitoring") and "id" in first
    assert again["status"] == "already_monitoring" and again["id"] == first["id"]
    status = api.get("/web/monitor/status")
    assert MONITOR <= status.keys() and status["monitored_urls"] == 1
    assert {"url", "title", "last_checked", "content_hash"} <= status["sources"][0].keys()
    assert [one["status"] for one in api.post("/web/monitor/scan")] == ["scan_triggered"] * 2
    gone, unknown = api.post("/web/monitor/remove", url=url)
    assert (gone["status"], unknown["status"]) == ("removed", "not_found")


def test_what_there_is_is_told_alike(api):
    made, known = api.post("/register-entity", name="Otto Krug", type="Person")
    assert {"success", "canonical_uri", "is_new", "vault_rid", "merged_with"} <= made.keys()
    assert made["is_new"] and not known["is_new"]
    read = {"document_rid": "sensor:1", "content": "Otto Krug sails.", "entities": [{"name": "Otto Krug", "type": "Person"}]}
    for taken in api.post("/ingest", **read):
        assert {"success", "canonical_entities", "receipt_rid", "stats"} <= taken.keys()
        assert taken["receipt_rid"].startswith("orn:personal-koi.receipt:")
    for one in api.post("/sync-relationships"):
        assert isinstance(one, dict)
    health = api.get("/health")
    assert HEALTH <= health.keys() and health["status"] == "healthy", health
    kinds = api.get("/entity-types")
    assert len(kinds["types"]) == 15 and all(one.keys() >= KINDS for one in kinds["types"])
    assert {"total_entities", "by_type", "recent_entities", "mode"} <= api.get("/stats").keys()
    assert api.get("/entities", type="Person", limit=1)["entities"][0]["type"] == "Person"
    for path in ("/relationship-stats", "/predicates", "/vault-entities"):
        assert isinstance(api.get(path), dict), path
    assert GITHUB <= api.get("/github/status").keys()
    for path in ("/github/repos", "/github/files"):
        assert isinstance(api.get(path), dict), path
    for rows in api.post("/code/query", cypher="MATCH (n) RETURN count(n)"):
        assert {"results", "count"} <= rows.keys()


def test_writing_about_an_entity_takes_its_name(program, serve):
    """A name that one entity has stands for its URI; one that several have lists their URIs."""
    with serve().client() as http:
        post = lambda path, **body: http.post(f"/compat/koi{path}", json=body)
        uris = {name: post("/register-entity", name=name, type="Person").json()["canonical_uri"]
                for name in ("Zed Alder", "Quill Beech")}
        assert post("/entity/alias", uri="Zed Alder", alias="Zeddy").json()["entity"]["uri"] == uris["Zed Alder"]
        merged = post("/entity/merge", from_uri="Quill Beech", into_uri="zed alder").json()
        assert merged["entity"]["uri"] == uris["Zed Alder"], merged
        assert post("/entity/alias", uri="Nobody", alias="X").status_code == 404
