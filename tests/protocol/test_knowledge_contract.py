"""The knowledge tools through the official Python client over stdio: over the local world, and over
another KOI API, for which a Lorewell server stands in."""

import json
import shutil
import time

import anyio
import pytest

from harness.knowledge import call, client_of, refused
from harness.pages import ARTICLE, page_server
from harness.program import PATIENCE, Program

pytestmark = pytest.mark.anyio

API_TOOLS = {
    "resolve_entity",
    "get_entity_neighborhood",
    "get_entity_documents",
    "koi_search",
    "knowledge_search",
    "preview_url",
    "process_url",
    "ingest_url",
    "monitor_url",
    "github_scan",
    "code_query",
}
VAULT_TOOLS = {"vault_read_note", "vault_write_note", "vault_list_notes"}


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def pages():
    with page_server() as pages:
        yield pages


@pytest.fixture
def home(program, pages):
    """The program with a vault and a page server that it may read."""
    vault = program.home / "vault"
    vault.mkdir()
    program.settings = {"VAULT_PATH": str(vault), "LOREWELL_WEB_REACHABLE": pages.address}
    return program


@pytest.fixture(params=["embedded", "remote"])
def place(request, home, serve, binary, tmp_path):
    """A program that answers from its own world, or one that uses the API of the first."""
    if request.param == "embedded":
        return home
    server = serve()
    other = Program(binary, tmp_path / "other")
    other.home.mkdir()
    vault = other.home / "vault"
    vault.mkdir()
    other.settings = {
        "KOI_API_ENDPOINT": f"{server.origin}/compat/koi",
        "VAULT_PATH": str(vault),
    }
    return other


async def test_the_tools_of_the_contract_are_there(place):
    async with client_of(place) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
    assert API_TOOLS | VAULT_TOOLS <= names


async def test_from_preview_to_the_graph(place, pages):
    """Preview, process and ingest a page; then every reading tool knows about it."""
    url = pages.put("/herring", ARTICLE)
    async with client_of(place) as client:
        assert "preview" in await refused(client, "process_url", url=url)
        seen = await call(client, "preview_url", url=url, submitted_by="ada")
        assert seen["title"] == "Herring" and seen["word_count"] > 40
        read = await call(client, "process_url", url=url, hint_entities=["Victoria"])
        entities = [{"name": e["name"], "type": e["type"]} for e in read["entities"]]
        relations = [
            {key: r[key] for key in ("subject", "predicate", "object")}
            for r in read["relationships"]
        ]
        wrong = {"subject": "Ada Holt", "predicate": "eats", "object": "Herring Foundation"}
        taken = await call(
            client, "ingest_url", url=url, entities=entities, relationships=[*relations, wrong]
        )
        assert taken["success"] and taken["entities_resolved"] == len(entities), taken
        assert [row["item"] for row in taken["refused"]] == [f"relationships[{len(relations)}]"]

        found = await call(client, "resolve_entity", label="Ada Hult", type_hint="person")
        assert found["candidates"][0]["name"] == "Ada Holt", found
        around = await call(client, "get_entity_neighborhood", entity_uri="Herring Foundation")
        told = {(r["subject_name"], r["predicate"], r["object_name"]) for r in around["relationships"]}
        assert ("Ada Holt", "founded", "Herring Foundation") in told
        documents = await call(client, "get_entity_documents", entity_uri="Ada Holt")
        assert url in {row["source_url"] for row in documents["documents"]}
        hits = await call(client, "koi_search", query="herring", type_filter="Organization")
        assert hits["results"][0]["name"] == "Herring Foundation"
        texts = await call(client, "knowledge_search", query="count the herring", source="web")
        assert texts["results"][0]["metadata"]["untrusted"] and texts["chunk_results"]
        again = await call(client, "ingest_url", url=url)
        assert again["already_ingested"]


async def test_unknown_names_are_refused_in_the_words_of_the_contract(place):
    async with client_of(place) as client:
        unknown = await call(client, "resolve_entity", label="Zyx Qwv")
        assert unknown["candidates"] == [] and unknown["is_new"]
        for tool in ("get_entity_neighborhood", "get_entity_documents"):
            text = await refused(client, tool, entity_uri="Zyx Qwv")
            assert 'Could not resolve "Zyx Qwv" to a known entity' in text
            for uri in ("orn:personal-koi.entity:person-x-0123", "orn:nope:x"):
                if "KOI_API_ENDPOINT" in place.settings:
                    # Another API decides itself what it knows, which is nothing.
                    empty = await call(client, tool, entity_uri=uri)
                    assert (empty.get("relationships") or empty.get("documents") or []) == []
                    continue
                text = await refused(client, tool, entity_uri=uri)
                assert f"the entity {uri} was not found" in text and "koi_search" in text


async def test_pages_are_watched(place, pages):
    url = pages.put("/news", ARTICLE)
    async with client_of(place) as client:
        added = await call(client, "monitor_url", action="add", url=url, title="News")
        assert added["status"] == "added" and added["words"] > 40
        status = await call(client, "monitor_url")
        assert [row["title"] for row in status["sources"]] == ["News"]
        assert (await call(client, "monitor_url", action="remove", url=url))["status"] == "removed"
        assert (await call(client, "monitor_url"))["monitored_urls"] == 0


async def test_notes_come_and_go_as_text(place):
    async with client_of(place) as client:
        path = "People/Bill Baue.md"
        note = '---\n"@type": schema:Person\n---\n# Bill\n\nHe keeps bees.\n'
        result = await client.call_tool("vault_write_note", {"path": path, "content": note})
        assert result.content[0].text == f"Written: {path}"
        result = await client.call_tool("vault_read_note", {"path": path})
        assert result.content[0].text == note
        result = await client.call_tool("vault_list_notes", {"folder": "People"})
        assert result.content[0].text == "Bill Baue.md"
        for tool, arguments in (
            ("vault_read_note", {"path": "../x.md"}),
            ("vault_write_note", {"path": "../x.md", "content": "x"}),
            ("vault_list_notes", {"folder": ".."}),
        ):
            assert "Path traversal rejected" in await refused(client, tool, **arguments)
        assert "not found" in await refused(client, "vault_read_note", path="No/Such.md")


async def test_without_a_vault_everything_else_works(program):
    async with client_of(program) as client:
        await call(client, "koi_search", query="anything")
        assert "VAULT_PATH" in await refused(client, "vault_list_notes", folder=".")


async def test_an_edit_by_hand_is_found_within_two_seconds(home):
    """An edit made before the program started is found as well."""
    vault = home.home / "vault"
    (vault / "Early.md").write_text("The early quetzal sings.")
    async with client_of(home) as client:

        async def found(words):
            answer = await call(client, "knowledge_search", query=words, source="vault")
            return [row["title"] for row in answer["results"]]

        async def eventually(words, wanted):
            deadline = time.monotonic() + PATIENCE
            while await found(words) != wanted:
                assert time.monotonic() < deadline, (words, await found(words))

        await eventually("quetzal", ["Early"])
        (vault / "Late.md").write_text("A late hoatzin answers.")
        await eventually("hoatzin", ["Late"])
        (vault / "Late.md").unlink()
        await eventually("hoatzin", [])


async def test_whole_folders_are_followed(home, tmp_path):
    """Folders that arrive with content, from inside or outside, and folders that go with everything
    in them."""
    vault = home.home / "vault"
    outside = tmp_path / "Birds"
    outside.mkdir()
    (outside / "Moved.md").write_text("A hoatzin came along.")
    async with client_of(home) as client:

        async def eventually(words, wanted):
            deadline = time.monotonic() + PATIENCE
            while True:
                found = await call(client, "knowledge_search", query=words, source="vault")
                titles = [row["title"] for row in found["results"]]
                if titles == wanted:
                    return
                assert time.monotonic() < deadline, (words, titles)
                await anyio.sleep(0.05)

        (vault / "Early.md").write_text("The quetzal was there before.")
        await eventually("quetzal", ["Early"])
        (vault / "New" / "Deep").mkdir(parents=True)
        (vault / "New" / "Deep" / "Made.md").write_text("A kakapo walks.")
        await eventually("kakapo", ["Made"])
        outside.rename(vault / "Birds")
        await eventually("hoatzin", ["Moved"])
        shutil.rmtree(vault / "New")
        await eventually("kakapo", [])
        (vault / "Birds").rename(tmp_path / "Gone")
        await eventually("hoatzin", [])


async def test_another_api_may_ask_for_a_token(home, serve, binary, tmp_path):
    token = home.token("gm", "remote")
    server = serve()
    other = Program(binary, tmp_path / "other")
    other.home.mkdir()
    other.settings = {"KOI_API_ENDPOINT": f"{server.origin}/compat/koi"}
    async with client_of(other) as client:
        assert "KOI_API_TOKEN" in await refused(client, "koi_search", query="anything")
    other.settings["KOI_API_TOKEN"] = token
    async with client_of(other) as client:
        found = await call(client, "koi_search", query="anything")
        assert found["count"] == 0 and found["untrusted"]


async def test_only_public_pages_are_read(program, pages):
    """Without an explicit allowance, nothing on this machine is requested, however its address is
    spelt."""
    pages.put("/secret", ARTICLE)
    port = pages.address.rsplit(":", 1)[1]
    hosts = ("127.0.0.1", "localhost", "2130706433", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0")
    async with client_of(program) as client:
        for host in hosts:
            for address in (f"http://{host}:{port}/secret", f"http://{host}/secret"):
                await refused(client, "preview_url", url=address)
                await refused(client, "monitor_url", action="add", url=address)
        for address in ("file:///etc/passwd", "ftp://example.org/", "http://u:p@example.org/"):
            await refused(client, "preview_url", url=address)
    assert pages.asked == []


async def test_a_redirect_does_not_lead_inside(home, pages):
    """A page that may be read cannot redirect to one that may not."""
    with page_server() as inner:
        target = inner.put("/secret", ARTICLE)
        url = pages.redirect("/door", target)
        async with client_of(home) as client:
            await refused(client, "preview_url", url=url)
        assert inner.asked == []


def test_the_api_speaks_fastapi(home, serve, pages):
    """Answers and errors have the form that clients of the KOI API read."""
    server = serve("--koi-addr", "127.0.0.1:0")
    with server.client() as http:
        base = "/compat/koi"
        health = http.get(f"{base}/health").json()
        assert health["status"] == "healthy" and len(health["entity_types"]) == 15
        assert http.head(f"{base}/health").status_code == 200
        missing = http.post(f"{base}/entity/resolve", json={})
        assert missing.status_code == 422
        assert missing.json()["detail"][0]["loc"] == ["body", "label"]
        assert missing.json()["detail"][0]["type"] == "missing"
        untyped = http.post(f"{base}/register-entity", json={"name": "Bill Baue"})
        assert untyped.json()["detail"][0]["loc"] == ["body", "type"]
        assert http.get(f"{base}/nowhere").json() == {"detail": "Not Found"}
        assert http.post(f"{base}/stats", json={}).status_code == 405
        made = http.post(
            f"{base}/register-entity", json={"name": "Bill Baue", "entity_type": "Person"}
        ).json()
        uri = "orn:personal-koi.entity:person-bill-baue-376ffc2e6245"
        assert made["canonical_uri"] == uri and made["is_new"]
        encoded = uri.replace(":", "%3A")
        assert http.get(f"{base}/entity/{encoded}").json()["entity"]["name"] == "Bill Baue"
        related = http.get(f"{base}/relationships/{encoded}").json()
        assert related == {"entity_uri": uri, "relationships": [], "count": 0}
        unknown = http.get(f"{base}/relationships/{encoded}0")
        assert unknown.status_code == 200 and unknown.json()["count"] == 0
        search = http.get(f"{base}/entity-search", params={"query": "Bill", "limit": 3}).json()
        assert search["results"][0]["uri"] == uri
        unseen = http.post(f"{base}/web/ingest", json={"url": f"http://{pages.address}/x"})
        assert unseen.status_code == 404 and "preview" in unseen.json()["detail"]
        for path in ("preview", "monitor/add"):
            gone = http.post(f"{base}/web/{path}", json={"url": f"http://{pages.address}/gone"})
            assert gone.status_code == 422 and "Failed to fetch URL" in gone.json()["detail"]
        nobody = http.post(f"{base}/web/preview", json={"url": "http://nobody.invalid/"})
        assert nobody.status_code == 400
        assert "Cannot resolve hostname: nobody.invalid" in nobody.json()["detail"]
        asked = http.get(f"{base}/entity-search").json()["detail"][0]
        assert asked["loc"] == ["query", "query"]
        said = {"content-type": "application/json; charset=utf-8"}
        assert http.post(f"{base}/search", content=b"{", headers=said).status_code == 422


def test_the_api_takes_bodies_that_are_said_to_be_json(serve):
    """A body in a content type that a page of another site can send without a preflight request
    changes nothing."""
    with serve().client() as http:
        base = "/compat/koi"
        body = json.dumps({"name": "Forged Friend", "type": "Person"})
        kinds = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]
        for headers in [{}, *({"content-type": kind} for kind in kinds)]:
            refused = http.post(f"{base}/register-entity", content=body, headers=headers)
            assert refused.status_code == 415, headers
            assert "application/json" in refused.json()["detail"]
        assert http.get(f"{base}/entities").json()["entities"] == []
        assert http.post(f"{base}/sync-relationships").status_code != 415, "no body is no lie"


async def test_a_note_that_moves_stays_the_same(home):
    vault = home.home / "vault"
    (vault / "People").mkdir()
    note = vault / "People" / "Bil Baue.md"
    note.write_text('---\n"@type": schema:Person\n---\nHe counts herring with great patience.\n')
    async with client_of(home) as client:
        before = await until_resolved(client, "Bil Baue")
        note.rename(vault / "People" / "Bill Baue.md")
        after = await until_resolved(client, "Bill Baue")
        assert after["uri"] == before["uri"], "one entity under both names"
        documents = await call(client, "get_entity_documents", entity_uri=after["uri"])
        assert [one["document_rid"] for one in documents["documents"]] == ["vault:People/Bill Baue.md"]


@pytest.mark.parametrize("watched", [True, False])
async def test_two_notes_that_exchange_their_names_stay_who_they_are(home, watched):
    people = home.home / "vault" / "People"
    people.mkdir()
    one, two, aside = people / "One.md", people / "Two.md", people / "Aside.md"
    one.write_text('---\n"@type": schema:Person\nname: Ilse Marrow\n---\nShe is frabjous.\n')
    two.write_text('---\n"@type": schema:Person\nname: Otto Krug\n---\nHe says callooh.\n')

    def exchange():
        one.rename(aside)
        two.rename(one)
        aside.rename(two)

    async with client_of(home) as client:
        before = [await until_resolved(client, name) for name in ("Ilse Marrow", "Otto Krug")]
        if watched:
            exchange()
            await until_said(client, "frabjous", "vault:People/Two.md")
    if not watched:
        exchange()
        home.ok("index")
    async with client_of(home) as client:
        await until_said(client, "frabjous", "vault:People/Two.md")
        await until_said(client, "callooh", "vault:People/One.md")
        after = [await until_resolved(client, name) for name in ("Ilse Marrow", "Otto Krug")]
        assert [one["uri"] for one in after] == [one["uri"] for one in before]


async def test_a_note_that_moved_while_nobody_looked_stays_the_same(home):
    vault = home.home / "vault"
    note = vault / "A.md"
    note.write_text('---\n"@type": Concept\nname: Slack tide\n---\nThe water rests.\n')
    assert "1 notes" in home.ok("index")
    (vault / "Tides").mkdir()
    note.rename(vault / "Tides" / "B.md")
    note.write_text("Something else stands where it stood.\n")
    assert "2 notes" in home.ok("index")
    async with client_of(home) as client:
        found = await call(client, "knowledge_search", query="water rests")
        rids = {one["rid"] for one in found["results"]}
        assert "vault:Tides/B.md" in rids and "vault:A.md" not in rids
        found = await call(client, "knowledge_search", query="something stands where it stood")
        assert "vault:A.md" in {one["rid"] for one in found["results"]}


async def test_notes_of_the_ontology_say_how_sure_is_sure(home, serve):
    folder = home.home / "vault" / "Ontology"
    folder.mkdir()
    (folder / "schema-person.md").write_text(
        "---\nresolution:\n  type_key: Person\n  similarity_threshold: 0.99\n  phonetic_matching: false\n---\n"
    )
    home.ok("index")
    with serve().client() as http:
        types = http.get("/compat/koi/entity-types").json()["types"]
    person = next(one for one in types if one["type_key"] == "Person")
    assert (person["similarity_threshold"], person["phonetic_matching"]) == (0.99, False)


def test_bodies_of_the_koi_api_are_json(home, serve):
    body = '{"name": "Form Sent", "type": "Person"}'
    with serve().client() as http:

        def register(kind):
            return http.post("/compat/koi/register-entity", content=body, headers={"Content-Type": kind})

        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
            assert register(kind).status_code == 415, kind
        assert http.get("/compat/koi/search").json()["detail"][0]["loc"] == ["query", "q"]
        assert register("application/json; charset=utf-8").status_code == 200


def test_a_page_can_be_judged_before_it_is_taken_in(home, serve, pages):
    url = pages.put("/herring", ARTICLE)
    with serve().client() as http:

        def post(path: str, **body):
            return http.post(f"/compat/koi/web/{path}", json={"url": url, **body})

        assert post("preview").status_code == 200
        assert post("evaluate", decision="reject", relevance_score=0.1).json()["status"] == "rejected"
        refused = post("ingest")
        assert refused.status_code >= 400 and "'rejected' state" in refused.json()["detail"]
        assert post("evaluate", decision="ingest", relevance_score=7).status_code >= 400
        assert post("evaluate", decision="maybe").status_code == 422
        assert post("evaluate", decision="ingest").json()["status"] == "evaluated"
        assert post("ingest").json()["success"]


def test_a_server_that_only_reads_leaves_notes_alone(home):
    (home.home / "vault" / "A.md").write_text("Some words nobody else has: quizzaciously.\n")
    with home.stdio("--read-only") as pipes:
        pipes.initialize()
        time.sleep(1)
        arguments = {"query": "quizzaciously"}
        answer = pipes.request("tools/call", {"name": "knowledge_search", "arguments": arguments})
        assert "A.md" not in json.dumps(answer)


async def until_said(client, word: str, rid: str) -> None:
    """Waits until exactly one document contains a word."""
    end = time.monotonic() + PATIENCE
    while True:
        found = await call(client, "knowledge_search", query=word, include_chunks=True)
        said_in = {hit["document_rid"] for hit in found["chunk_results"] if word in hit["text"]}
        if said_in == {rid}:
            return
        assert time.monotonic() < end, f"{word} is said in {said_in}"
        await anyio.sleep(0.05)


async def until_resolved(client, name: str) -> dict:
    """Waits until a name resolves to an entity, and returns it."""
    end = time.monotonic() + PATIENCE
    while True:
        found = await call(client, "resolve_entity", label=name)
        sure = [one for one in found["candidates"] if one["confidence"] > 0.9 and one["name"] == name]
        if sure:
            return sure[0]
        assert time.monotonic() < end, f"{name} was never known"
        await anyio.sleep(0.05)
