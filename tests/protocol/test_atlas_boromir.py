"""World Anvil's API over the local world, with the published client and with plain HTTP
requests."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from harness.pages import page_server

STORY = Path(__file__).parent / "harness" / "anvil_story.py"
BASE = "/compat/worldanvil/api/external/boromir"


@pytest.fixture
def token(program) -> str:
    return program.token("owner", "Anvil")


def tell(story: str, server, token: str, **more: str) -> dict:
    """Runs a story of the published client and returns what it observed."""
    environment = {
        "PATH": os.environ["PATH"],
        "ANVIL_URL": f"{server.origin}{BASE}",
        "ANVIL_TOKEN": token,
        **more,
    }
    done = subprocess.run(
        [os.environ["ANVIL_PYTHON"], str(STORY), story],
        env=environment, capture_output=True, text=True, timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_published_client_works_with_every_kind(serve, token):
    seen = tell("kinds", serve(), token)
    assert len(seen) == 31
    for kind, facts in seen.items():
        assert all(facts.values()), (kind, facts)


def test_the_published_client_goes_through_every_list(serve, token):
    seen = tell("lists", serve(), token)
    sizes = {"articles": 60, "in category": 55, "uncategorised": 5, "a page": 2}
    for name, size in seen.items():
        wanted = 0 if name in ("images", "systems") else sizes.get(name, 1)
        assert size == wanted, (name, size)


def test_the_published_client_makes_worlds_and_fetches_pictures(serve, token):
    with page_server() as pages:
        picture = pages.put("/map.png", "a picture")
        seen = tell("worlds", serve(), token, ANVIL_PICTURE=picture, ANVIL_PICTURE_SAYS="a picture")
    assert all(seen.values()), seen


def test_the_published_client_sees_failures_as_its_own(serve, token):
    assert all(tell("faults", serve(), token).values())


def test_players_get_no_secrets_and_readers_write_nothing(program, serve, token):
    player, reader = program.token("player", "Pia"), program.token("reader", "Rob")
    server = serve()
    with server.client(**{"x-auth-token": token}) as owner:
        body = {"title": "Truth", "content": "HIDDEN"}
        secret = owner.put(f"{BASE}/secret", json=body).json()
        article = owner.put(f"{BASE}/article", json={"title": "HIDDEN"}).json()
        world = owner.post(f"{BASE}/user/worlds", json={}).json()["entities"][0]["id"]
        shown = owner.put(f"{BASE}/category", json={"title": "Open", "state": "public"}).json()
    with server.client(**{"x-auth-token": player}) as http:
        for path, thing in (("secret", secret), ("article", article)):
            answer = http.get(f"{BASE}/{path}", params={"id": thing["id"], "granularity": "2"})
            assert answer.status_code in (403, 404) and "HIDDEN" not in answer.text
        listed = http.post(f"{BASE}/world/articles", params={"id": world}, json={})
        assert listed.json()["entities"] == []
        assert http.post(f"{BASE}/world/secrets", params={"id": world}, json={}).status_code == 403
        change = http.patch(f"{BASE}/category", params={"id": shown["id"]}, json={"title": "x"})
        assert change.status_code == 403, change.text
    with server.client(**{"x-auth-token": reader}) as http:
        assert http.put(f"{BASE}/article", json={"title": "x"}).status_code == 403


def test_strangers_are_told_in_its_form(serve, token):
    with serve().client(**{"x-auth-token": "wrong"}) as http:
        refused = http.get(f"{BASE}/identity")
        told = {"success": False, "error": "access_denied_auth_failed"}
        assert (refused.status_code, refused.json()) == (401, told)


def test_the_api_obeys_the_choice_of_toolsets(serve, token):
    with serve("--toolsets", "play").client(**{"x-auth-token": token}) as http:
        assert http.get(f"{BASE}/identity").status_code == 403
    with serve("--read-only").client(**{"x-auth-token": token}) as http:
        assert http.get(f"{BASE}/identity").json()["success"] is True
        assert http.put(f"{BASE}/article", json={"title": "x"}).status_code == 403


def test_what_is_no_route_or_no_json_is_refused_in_its_form(serve, token):
    with serve().client(**{"x-auth-token": token}) as http:
        for answer, status in (
            (http.get(f"{BASE}/nonsense"), 404),
            (http.get(f"{BASE}/world/articles"), 405),
            (http.post(f"{BASE}/article", json={}), 405),
            (http.put(f"{BASE}/article", content=b"nonsense"), 422),
            (http.put(f"{BASE}/article", json={"content": "no title"}), 422),
        ):
            assert (answer.status_code, answer.json()["success"]) == (status, False)


def test_texts_are_bbcode_outside_and_markdown_inside(program, serve, token):
    server = serve()
    with server.client(**{"x-auth-token": token}) as http:
        keep = http.put(f"{BASE}/article", json={"title": "Keep", "templateType": "settlement"})
        mention = f"@[the keep](settlement:{keep.json()['id']})"
        long = "[i]Hills[/i] and " + "moss " * 60
        body = {"title": "Vane", "content": f"[b]Rules[/b] {mention}", "geography": long}
        made = http.put(f"{BASE}/article", json=body).json()
        assert made["content"] == body["content"] and made["geography"] == long.strip()
    arguments = json.dumps({"article_id": made["id"], "granularity": 2})
    found = json.loads(program.ok("call", "get_article", arguments, "--toolsets", "atlas"))
    assert found["data"]["content"] == f"**Rules** {mention}"
    assert found["data"]["sections"]["geography"].startswith("*Hills* and moss")


def test_an_excerpt_is_bbcode_outside_and_markdown_inside(program, serve, token):
    with serve().client(**{"x-auth-token": token}) as http:
        body = {"title": "Vane", "content": "Else.", "excerpt": "[b]Rules[/b] the keep."}
        made = http.put(f"{BASE}/article", json=body).json()
        assert made["excerpt"] == body["excerpt"]
    arguments = json.dumps({"article_id": made["id"]})
    found = json.loads(program.ok("call", "get_article", arguments, "--toolsets", "atlas"))
    assert found["data"]["excerpt"] == "**Rules** the keep."


def test_each_granularity_tells_what_it_does_there(serve, token):
    fields = {"category": {"articleCount": -1, "description": 0, "cssClasses": 1, "parent": 2, "world": 2, "pagecover": 2},
              "timeline": {"description": 0, "world": 1, "histories": 2, "eras": 2, "article": 2},
              "map": {"description": 0, "image": 2, "world": 2, "markers": 2},
              "note": {"content": 0, "notesection": 2, "world": 2},
              "history": {"month": 0, "content": 1, "world": 1, "timelines": 2},
              "article": {"wordcount": 0, "content": 1, "category": 1, "world": 1, "sidebarcontent": 2}}
    with serve().client(**{"x-auth-token": token}) as http:
        for path, told in fields.items():
            made = http.put(f"{BASE}/{path}", json={"title": "One", "year": "1"}).json()
            for level in (-1, 0, 1, 2):
                asked = {"id": made["id"], "granularity": str(level)}
                found = http.get(f"{BASE}/{path}", params=asked).json()
                wanted = {name for name, least in told.items() if least <= level}
                assert {name for name in told if name in found} == wanted, (path, level)
