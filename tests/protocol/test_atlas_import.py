"""Imports a world that World Anvil exported, from the archive or from the folder it was unpacked
to."""

import json
import subprocess
import zipfile

import pytest

from harness.program import Program, until

ROOT = "World-The Vale-2025-10-06/World-The Vale-x1"
DATE = {"date": "2025-10-05 14:00:42.000000", "timezone": "UTC", "timezone_type": 3}


def uid(number: int) -> str:
    return f"0190a1b2-0000-7000-8000-{number:012}"


WORLD = {"id": uid(1), "title": "The Vale", "entityClass": "World"}


def thing(number: int, title: str, kind: str, **fields) -> dict:
    return {"id": uid(number), "title": title, "entityClass": kind, "state": "public", "updateDate": DATE,
            "isWip": False, "isDraft": False, "tags": None, "folderId": "-1", "world": WORLD, "success": True, **fields}


FILES = {
    "world.json": {**WORLD, "description": "[b]Green[/b] hills."},
    "categories/Category-People-c1.json": thing(2, "People", "Category"),
    "articles/Person-Vane-a1.json": thing(
        3, "Lord Vane", "Person", templateType="person", tags="noble,vampire",
        content=f"Rules @[the keep](settlement:{uid(4)}) with [i]care[/i].", category={"id": uid(2), "title": "People"},
        authornotes="Is a [b]vampire[/b].", sidebarcontent="See also.",
    ),
    "articles/Settlement-Keep-a2.json": thing(4, "The Keep", "Settlement", templateType="settlement", content="Stone."),
    "articles/Item-Blade-a3.json": thing(
        5, "Blade", "Item", templateType="item", state="private", content="CANARY",
        sections={"history": {"content": "[b]Old[/b]"}},
    ),
    "secrets/Secret-Truth-s1.json": thing(6, "Truth", "Secret", content="CANARY", article={"id": uid(3)}),
    "maps/Map-Vale-m1.json": thing(7, "Map of the Vale", "Map"),
    "markers/Marker-Keep-k1.json": thing(8, "Keep", "Marker", geoX=1.5, geoY=2, map={"id": uid(7)}, targetArticle={"id": uid(4)}),
    "timelines/Timeline-Ages-t1.json": thing(9, "Ages", "Timeline"),
    "histories/History-Fall-h1.json": thing(10, "The Fall", "History", year="7", content="It fell.", timelines=[{"id": uid(9)}]),
    "images/map.png": None,
    "odd/Teapot.json": thing(11, "Teapot", "Teapot"),
}


@pytest.fixture
def archive(tmp_path):
    """The export as a .zip file."""
    path = tmp_path / "World-The Vale-2025-10-06.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in FILES.items():
            archive.writestr(f"{ROOT}/{name}", b"not a file of ours" if content is None else json.dumps(content))
    return path


def call(program, tool: str, **arguments) -> dict:
    return json.loads(program.ok("call", tool, json.dumps(arguments), "--toolsets", "all"))


def test_an_archive_becomes_the_world_and_does_so_once(program, archive):
    told = program.ok("import", "world-anvil", str(archive))
    assert "1 files are of no known kind" in told and "9 new, 0 changed, 0 unchanged, 0 deleted, 0 left out" in told, told
    lord = call(program, "get_article", article_id=uid(3), granularity=2)["data"]
    assert lord["content"] == f"Rules @[the keep](settlement:{uid(4)}) with *care*."
    assert (lord["template"], lord["category"]["title"]) == ("person", "People")
    assert lord["tags"] == ["noble", "vampire"] and lord["state"] == "public"
    assert lord["sections"] == {"sidebarcontent": "See also.", "authornotes": "Is a **vampire**."}
    assert [secret["title"] for secret in lord["secrets"]] == ["Truth"]
    [marker] = call(program, "get_map_markers", map_id=uid(7))["entities"]
    assert (marker["latitude"], marker["linked_article"]["id"]) == (1.5, uid(4))
    history = call(program, "get_history", history_id=uid(10), granularity=2)["data"]
    assert history["timelines"][0]["id"] == uid(9)
    assert call(program, "get_world")["data"]["description"] == "**Green** hills."
    blade = call(program, "get_article", article_id=uid(5), granularity=2)["data"]
    assert blade["sections"]["history"] == "**Old**"
    # It is part of the one world: the other doors see it, and links have become edges.
    found = call(program, "find_entities", name="Lord Vane")["entities"]
    keep = call(program, "find_entities", name="The Keep")["entities"][0]["entity_id"]
    assert found[0]["entry"] == f"Rules [entity:{keep}|the keep] with *care*."
    assert program.ok("import", "world-anvil", str(archive)).endswith("0 new, 0 changed, 9 unchanged, 0 deleted, 0 left out\n")


def test_the_folder_of_an_archive_is_as_good(program, archive, tmp_path):
    folder = tmp_path / "unpacked"
    with zipfile.ZipFile(archive) as zipped:
        zipped.extractall(folder)
    assert "9 new, " in program.ok("import", "world-anvil", str(folder))


def test_an_import_that_was_cut_short_goes_on(program, archive):
    cut_short = subprocess.Popen(program.command("import", "world-anvil", str(archive)),
                                 env=program.environment(), stdout=subprocess.DEVNULL)
    assert until(program.store.exists)
    cut_short.kill()
    cut_short.wait()
    assert " 0 left out" in program.ok("import", "world-anvil", str(archive))
    assert call(program, "list_articles")["meta"]["total"] == 3
    assert call(program, "list_secrets")["meta"]["total"] == 1


def test_what_is_private_there_is_hidden_from_players_here(program, archive, serve):
    program.ok("import", "world-anvil", str(archive))
    player = program.token("player", "Pia")
    with serve().client(authorization=f"Bearer {player}") as http:
        for tool, arguments in (("list_articles", {}), ("get_article", {"article_id": uid(5)}),
                                ("get_article", {"article_id": uid(3), "granularity": 2}),
                                ("search_articles", {"query": "canary vampire"}), ("list_secrets", {})):
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
            said = http.post("/mcp/x/atlas", json=body, headers={"accept": "application/json"}).text
            assert "CANARY" not in said and "Blade" not in said and "Is a " not in said, (tool, said)


def test_what_is_no_archive_is_refused_and_changes_nothing(program, tmp_path):
    wrong = tmp_path / "wrong.zip"
    wrong.write_text("not a zip")
    empty = tmp_path / "empty"
    empty.mkdir()
    for path in (wrong, empty, tmp_path / "absent.zip"):
        done = program.run("import", "world-anvil", str(path))
        assert done.returncode == 1 and done.stderr, path
    assert call(program, "list_articles")["meta"]["total"] == 0
    read_only = Program(program.binary, program.home)
    assert read_only.run("--read-only", "import", "world-anvil", str(empty)).returncode == 1
