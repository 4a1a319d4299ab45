"""Kanka's API over the local world: with the published client, and by hand."""

import json
import os
import subprocess
from pathlib import Path

import pytest

STORY = Path(__file__).parent / "harness" / "kanka_story.py"
PREFIXES = ["/compat/kanka/1.0", "/compat/kanka/api/1.0"]


@pytest.fixture
def token(program) -> str:
    return program.token("owner", "Kanka")


@pytest.fixture
def api(program, token, serve):
    """A plain HTTP client with a token, and the campaign's address."""
    server = serve()
    with server.client(authorization=f"Bearer {token}") as http:
        [campaign] = http.get("/compat/kanka/1.0/campaigns").json()["data"]
        yield http, f"/compat/kanka/1.0/campaigns/{campaign['id']}", server


def tell(story: str, server, token: str, prefix: str = PREFIXES[0]) -> dict:
    """Runs a story of the published client."""
    with server.client(authorization=f"Bearer {token}") as http:
        [campaign] = http.get(f"{prefix}/campaigns").json()["data"]
    environment = {
        "PATH": os.environ["PATH"],
        "KANKA_URL": f"{server.origin}{prefix}",
        "KANKA_TOKEN": token,
        "KANKA_CAMPAIGN": str(campaign["id"]),
    }
    done = subprocess.run(
        [os.environ["KANKA_PYTHON"], str(STORY), story],
        env=environment, capture_output=True, text=True, timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_published_client_works_with_all_nine_kinds(serve, token, prefix):
    for kind, seen in tell("every_kind", serve(), token, prefix).items():
        assert seen["entry"] == "<p>Some <strong>bold</strong> text</p>", kind
        assert seen["name"] == f"Two of {kind}"
        assert seen["posts"] == ["Post"] and seen["again"] == "Post again" and seen["left"] == 0
        assert seen["visibility"] == 2 and seen["related"] == 1
        for truth in ("tags", "listed", "found", "child", "gone"):
            assert seen[truth], (kind, truth)


def test_the_published_client_pages_syncs_and_fails_as_with_kanka(serve, token):
    server = serve()
    assert tell("paging", server, token) == {
        "sizes": [45, 45, 10], "distinct": 100, "total": 100, "last": 3,
    }
    assert tell("syncing", server, token) == {
        "before": 0, "after": ["First"], "typed": ["First"],
    }
    assert all(tell("faults", server, token).values())


def test_a_token_is_needed_even_where_all_else_is_open(program, serve):
    with serve().client() as http:
        refused = http.get("/compat/kanka/1.0/campaigns")
        assert refused.status_code == 401
        assert refused.json()["code"] == 401


def test_the_limiter_counts_thirty_a_minute(program, token, serve):
    with serve("--kanka-rate-limit", "30").client(authorization=f"Bearer {token}") as http:
        left = []
        for _ in range(30):
            answer = http.get("/compat/kanka/1.0/profile")
            assert answer.headers["x-ratelimit-limit"] == "30"
            left.append(int(answer.headers["x-ratelimit-remaining"]))
        assert left == list(range(29, -1, -1))
        refused = http.get("/compat/kanka/1.0/profile")
        assert refused.status_code == 429
        [sentence] = refused.json()
        assert "30 requests per minute" in sentence
        assert "retry-after" not in refused.headers


def test_what_tools_and_the_api_make_is_one_world(api, program):
    http, campaign, _ = api
    made = program.ok(
        "call", "create_entities",
        json.dumps({"entities": [{
            "entity_type": "organization", "name": "The Guard", "tags": ["city"],
            "entry": "Led by [character:7|*Bob*].\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
        }]}),
    )
    row = json.loads(made)["results"][0]
    [shown] = http.get(f"{campaign}/organisations").json()["data"]
    assert (shown["id"], shown["entity_id"]) == (row["id"], row["entity_id"])
    assert "[character:7|*Bob*]" in shown["entry"] and "<table>" in shown["entry"]
    [tag] = http.get(f"{campaign}/tags").json()["data"]
    assert shown["tags"] == [tag["id"]] and tag["name"] == "city"
    changed = http.patch(
        f"{campaign}/entities/{row['entity_id']}",
        json={"entry": "<p>Now <em>new</em> [new:character|Eve]</p><script>alert(1)</script>"},
    )
    assert changed.status_code == 200
    assert "script" not in changed.text and "[new:" not in changed.json()["data"]["child"]["entry"]
    got = json.loads(program.ok("call", "get_entities", json.dumps({"entity_ids": [row["entity_id"]]})))
    assert got["results"][0]["entry"] == "Now *new* [new:character|Eve]"


def test_a_tag_keeps_its_number_when_renamed_and_leaves_when_deleted(api):
    http, campaign, _ = api
    tag = http.post(f"{campaign}/tags", json={"name": "elf"}).json()["data"]
    again = http.post(f"{campaign}/tags", json={"name": "ELF"}).json()["data"]
    assert again["id"] == tag["id"], "a name is one tag"
    page = http.post(f"{campaign}/races", json={"name": "Elves", "tags": [tag["id"], "old"]}).json()["data"]
    assert len(page["tags"]) == 2
    http.patch(f"{campaign}/tags/{tag['id']}", json={"name": "elven"})
    races = http.get(f"{campaign}/races", params={"tags[]": tag["id"]}).json()["data"]
    assert [race["id"] for race in races] == [page["id"]]
    assert http.delete(f"{campaign}/tags/{tag['id']}").status_code == 204
    assert len(http.get(f"{campaign}/races/{page['id']}").json()["data"]["tags"]) == 1


def test_parents_and_mentions_are_told(api):
    http, campaign, _ = api
    land = http.post(f"{campaign}/locations", json={"name": "Land"}).json()["data"]["entity_id"]
    town = http.post(f"{campaign}/locations", json={
        "name": "Town", "parent_id": land, "entry": f"<p>In [location:{land}]</p>",
    }).json()["data"]
    post = http.post(f"{campaign}/entities/{town['entity_id']}/posts", json={
        "name": "Road", "entry": f"<p>To [entity:{land}|home]</p>",
    }).json()["data"]
    assert http.get(f"{campaign}/entities/{town['entity_id']}").json()["data"]["parent_id"] == land
    rows = http.get(f"{campaign}/entities/{land}/mentions").json()["data"]
    assert [(row["entity_id"], row["post_id"], row["target_id"]) for row in rows] == [
        (town["entity_id"], None, land), (town["entity_id"], post["id"], land),
    ]
    refused = http.patch(f"{campaign}/locations/{town['id']}", json={"parent_id": 4711})
    assert refused.status_code == 422 and "parent_id" in refused.json()["fields"]
    http.patch(f"{campaign}/locations/{town['id']}", json={"parent_id": None})
    assert http.get(f"{campaign}/entities/{town['entity_id']}").json()["data"]["parent_id"] is None


def test_forms_of_refusals(api):
    http, campaign, _ = api
    for method, path, body, status in [
        ("GET", f"{campaign}/dragons", None, 404),
        ("GET", "/compat/kanka/1.0/campaigns/4711/notes", None, 404),
        ("GET", f"{campaign}/notes/4711", None, 404),
        ("POST", f"{campaign}/notes/1", {}, 405),
        ("POST", f"{campaign}/notes", {"name": "x" * 192}, 422),
        ("POST", f"{campaign}/notes", {"name": 5}, 422),
        ("POST", f"{campaign}/journals", {"name": "x", "date": "someday"}, 422),
        ("DELETE", f"{campaign}/entities/1", None, 401),
    ]:
        answer = http.request(method, path, json=body)
        assert answer.status_code == status, (method, path, answer.text)
        assert "error" in answer.json()
        if status == 422:
            assert answer.json()["fields"]


def test_players_and_readers_have_their_rights_and_no_more(api, program):
    http, campaign, server = api
    secret = http.post(f"{campaign}/characters", json={"name": "Canary", "is_private": True}).json()["data"]
    page = http.post(f"{campaign}/characters", json={"name": "Open"}).json()["data"]
    http.post(f"{campaign}/entities/{page['entity_id']}/posts", json={"name": "Canary", "visibility_id": 2})
    player, reader = program.token("player", "Alice"), program.token("reader", "Rita")
    for token in (player, reader):
        with server.client(authorization=f"Bearer {token}") as other:
            for path in ("characters?related=1", "entities", "search/Canary",
                         f"entities/{page['entity_id']}?related=1",
                         f"entities/{page['entity_id']}/posts"):
                answer = other.get(f"{campaign}/{path}")
                assert answer.status_code == 200 and "Canary" not in answer.text.replace("search/Canary", "")
            assert other.get(f"{campaign}/characters/{secret['id']}").status_code == 404
            assert other.delete(f"{campaign}/characters/{page['id']}").status_code == 403
    with server.client(authorization=f"Bearer {reader}") as other:
        assert other.post(f"{campaign}/notes", json={"name": "x"}).status_code == 403
    with server.client(authorization=f"Bearer {player}") as other:
        assert other.post(f"{campaign}/notes", json={"name": "x"}).status_code == 201


def test_a_read_only_server_writes_nothing(program, token, serve):
    with serve("--read-only").client(authorization=f"Bearer {token}") as http:
        [campaign] = http.get("/compat/kanka/1.0/campaigns").json()["data"]
        path = f"/compat/kanka/1.0/campaigns/{campaign['id']}/notes"
        assert http.get(path).status_code == 200
        assert http.post(path, json={"name": "x"}).status_code == 403
