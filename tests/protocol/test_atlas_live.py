"""The atlas tools over World Anvil's API, for which another Lorewell server stands in."""

import fcntl
import json
import subprocess

import pytest

from harness.kanka_proxy import kanka_proxy
from harness.program import Program, until

BASE = "/compat/worldanvil/api/external/boromir"
NONE = "00000000-0000-7000-8000-000000000000"


@pytest.fixture
def origin(program, serve):
    """A server with World Anvil's API and a small world, its owner's token, and the ids in that
    world."""
    token = program.token("owner", "Anvil")
    server = serve()
    with server.client(**{"x-auth-token": token}) as http:
        yield server, token, fill(http)


@pytest.fixture
def live(binary, tmp_path, origin):
    """A program whose atlas is that server."""
    server, token, _ = origin
    home = tmp_path / "live"
    home.mkdir()
    program = Program(binary, home)
    program.settings = {
        "WORLD_ANVIL_URL": f"{server.origin}{BASE}",
        "WORLD_ANVIL_APP_KEY": "any application",
        "WORLD_ANVIL_TOKEN": token,
    }
    return program


@pytest.fixture
def unsearched(live, origin):
    """The same program through a proxy that has no search, like World Anvil itself."""
    server, _, _ = origin
    with kanka_proxy(server.port) as proxy:
        proxy.fail("404", "article/search")
        live.settings["WORLD_ANVIL_URL"] = proxy.url.replace("/compat/kanka/1.0", BASE)
        yield live


def fill(http) -> dict:
    """Creates one or more things of each kind; returns their ids."""
    world = http.post(f"{BASE}/user/worlds", json={}).json()["entities"][0]["id"]

    def put(path, **fields):
        made = http.put(f"{BASE}/{path}", json={"title": f"One {path}", **fields}).json()
        assert made["success"], made
        return made["id"]

    ids = {"category": put("category", description="[b]Bold[/b]")}
    ids["article"] = put(
        "article", templateType="person", content="[i]Stone[/i]", tags="a,b",
        category={"id": ids["category"]}, sidebarcontent="[b]Aside[/b]", authornotes="psst",
    )
    for number in range(60):
        put("article", templateType="item", content=f"Item {number}")
    ids["image"] = put("image", url="https://example.org/x.png", width=3)
    ids["map"] = put("map", image={"id": ids["image"]})
    put("marker", map={"id": ids["map"]}, geoX=1.5, geoY=2, targetArticle={"id": ids["article"]})
    ids["timeline"] = put("timeline")
    ids["era"] = put("era", timeline={"id": ids["timeline"]}, startingYear=1)
    ids["history"] = put("history", content="Fall", year="7", timelines=[{"id": ids["timeline"]}])
    ids["secret"] = put("secret", content="psst", article={"id": ids["article"]})
    ids["blockfolder"] = put("blockfolder")
    ids["block"] = put("block", textualdata="x", blockfolder={"id": ids["blockfolder"]})
    ids["variablecollection"] = put("variablecollection", prefix="p")
    ids["variable"] = put("variable", k="k", v="v", collection={"id": ids["variablecollection"]})
    for path in ("chronicle", "canvas", "notebook", "manuscript", "blocktemplate",
                 "rpgsystem", "subscribergroup"):
        ids[path] = put(path)
    return {"world": world, **ids}


def calls(tools: list[dict], ids: dict):
    """Yields a call of each tool; tools with a granularity are called at each."""
    for tool in tools:
        example = tool["example"]
        named = {key: value for key, value in example.items() if str(value).startswith("$")}
        if any(value[1:] not in ids for value in named.values()):
            continue
        filled = {key: ids[value[1:]] for key, value in named.items()}
        rest = {key: value for key, value in example.items() if key not in named}
        if "granularity" in tool["inputSchema"]["properties"]:
            for level in (0, 1, 2):
                yield tool["name"], {**rest, **filled, "granularity": level, "verbose": level == 2}
        else:
            yield tool["name"], {**rest, **filled}


def call(program, tool: str, **arguments) -> dict:
    return json.loads(program.ok("call", tool, json.dumps(arguments), "--toolsets", "all"))


def ask(pipes, tool: str, arguments: dict) -> dict:
    answer = pipes.request("tools/call", {"name": tool, "arguments": arguments})
    assert not answer.get("isError"), (tool, arguments, answer)
    return answer["structuredContent"]


def test_each_tool_answers_as_over_the_own_world(program, live, origin):
    _, _, ids = origin
    campaign = call(program, "campaign_create", name="Vale", gm_mode="HUMAN", theme_prompt="Ice")["id"]
    npc = call(program, "character_create", campaign_id=campaign, name="Strahd", kind="NPC", notes="Bites.")["id"]
    ids = {**ids, "campaign": campaign, "npc": npc}
    tools = program.tools("--toolsets", "atlas")
    assert len(tools) == 46
    asked = 0
    with program.stdio("--toolsets", "atlas") as own, live.stdio("--toolsets", "atlas") as far:
        own.initialize()
        far.initialize()
        for tool, arguments in calls(tools, ids):
            if tool == "get_user_identity":
                continue
            asked += 1
            here, there = ask(own, tool, arguments), ask(far, tool, arguments)
            assert there == here, (tool, arguments)
        beyond = {"offset": 50, "limit": 50}
        assert ask(far, "list_articles", beyond) == ask(own, "list_articles", beyond)
        assert ask(far, "list_articles", beyond)["meta"]["total"] == 62
        loose = {"category_id": "-1", "limit": 5}
        assert ask(far, "list_articles", loose)["meta"]["total"] == 61
        assert ask(far, "get_user_identity", {})["data"]["username"] == "Anvil"
    assert asked > 70


def test_the_atlas_is_on_where_world_anvil_is_configured(live):
    assert {"get_article", "roll_dice"} <= {tool["name"] for tool in live.tools()}
    half = Program(live.binary, live.home / "half")
    half.settings = {"WORLD_ANVIL_TOKEN": "canary"}
    for command, code in (("tools", 0), ("serve", 1)):
        done = half.run(command)
        assert done.returncode == code and "WORLD_ANVIL_APP_KEY" in done.stderr, (command, done)
        assert "canary" not in done.stderr


def test_writes_arrive_are_read_back_and_private(program, live, origin):
    _, _, ids = origin
    with live.stdio("--toolsets", "atlas,atlas-write") as far:
        far.initialize()
        made = ask(far, "create_article", {
            "title": "New", "content": "**Bold** text", "tags": ["x"],
            "category_id": ids["category"], "sections": {"Rumours": "*Odd*", "footnotes": "See."},
        })["data"]
        assert made["sections"] == {"Rumours": "*Odd*", "footnotes": "See."}
        assert (made["state"], made["content"]) == ("private", "**Bold** text")
        assert made["category"]["id"] == ids["category"] and made["tags"] == ["x"]
        counted = ask(far, "get_category", {"category_id": ids["category"]})["data"]["article_count"]
        assert counted == 2
        secret = {"title": "Told once", "content": "x", "article_id": made["id"]}
        secret = ask(far, "create_secret", secret)["data"]["id"]
        whole = {"article_id": made["id"], "granularity": 2}
        assert [one["title"] for one in ask(far, "get_article", whole)["data"]["secrets"]] == ["Told once"]
        ask(far, "update_secret", {"secret_id": secret, "article_id": ids["article"]})
        assert "secrets" not in ask(far, "get_article", whole)["data"]
        changed = ask(far, "update_article", {"article_id": made["id"], "title": "Newer", "category_id": None})
        assert changed["data"]["title"] == "Newer" and "category" not in changed["data"]
        assert ask(far, "get_category", {"category_id": ids["category"]})["data"]["article_count"] == 1
        seen = call(program, "get_article", **whole)["data"]
        assert (seen["title"], seen["sections"]) == ("Newer", made["sections"])
        bare = ask(far, "update_article", {"article_id": made["id"], "sections": None})["data"]
        assert "sections" not in bare and "sections" not in call(program, "get_article", **whole)["data"]
        # Mentions come back in World Anvil's form, with the real type of what they refer to. Those
        # that refer to nothing stay as they are.
        for text, told in ((f"By @[One](article:{ids['article']}).", f"By @[One](person:{ids['article']})."),
                           ("By [entity:4|Foo] and [entity:4].", None), ("By @[Foo](person:4).", None),
                           ("By [entity:999999|Foo].", "By [entity:999999|Foo].")):
            changed = ask(far, "update_article", {"article_id": made["id"], "content": text})["data"]["content"]
            assert changed == told or told is None and changed.count("@[") == text.count(":4"), changed
        ask(far, "delete_article", {"article_id": made["id"]})
        gone = far.request("tools/call", {"name": "get_article", "arguments": {"article_id": made["id"]}})
        assert gone["isError"] and gone["structuredContent"]["code"] == "NOT_FOUND"


def test_every_kind_of_write_arrives_and_is_read_back(program, live, origin):
    _, _, ids = origin
    # The fields to create, the fields to change, and the tool that reads the result on the other
    # side.
    kinds = {
        "category": ({"description": "**Old**"}, {"description": "*New*"}, "get_category"),
        "map_marker": ({"map_id": ids["map"], "latitude": 1.5, "longitude": -2}, {"latitude": 3.25}, None),
        "timeline": ({"description": "**Old**"}, {"description": "*New*"}, "get_timeline"),
        "history": ({"content": "**Old**", "year": "312", "timeline_ids": [ids["timeline"]]},
                    {"content": "*New*", "month": 4}, "get_history"),
        "secret": ({"content": "**Old**", "article_id": ids["article"]}, {"content": "*New*"}, "get_secret"),
        "notebook_note": ({"content": "**Old**"}, {"content": "*New*"}, None),
    }
    with live.stdio("--toolsets", "atlas,atlas-write") as far:
        far.initialize()
        for kind, (fields, change, get) in kinds.items():
            name = {"map_marker": "marker_id", "notebook_note": "note_id"}.get(kind, f"{kind}_id")
            made = ask(far, f"create_{kind}", {"title": f"A {kind}", **fields})["data"]
            assert made["title"] == f"A {kind}" and made.get("state", "private") == "private", made
            changed = ask(far, f"update_{kind}", {name: made["id"], "title": f"Another {kind}", **change})["data"]
            assert changed["title"] == f"Another {kind}", changed
            for field, value in change.items():
                assert changed[field] == value, (kind, changed)
            if get:
                there = call(program, get, **{name: made["id"], "granularity": 2})["data"]
                assert {field: there[field] for field in change} == change, (kind, there)
            ask(far, f"delete_{kind}", {name: made["id"]})
            gone = far.request("tools/call", {"name": f"update_{kind}", "arguments": {name: made["id"], "title": "x"}})
            assert gone["isError"] and gone["structuredContent"]["code"] == "NOT_FOUND", (kind, gone)


def answer(http, tool: str, arguments: dict):
    """Returns the HTTP response to a call of a tool."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
    return http.post("/mcp/x/atlas", json=body)


def test_players_of_the_near_end_see_only_what_is_public(live, origin):
    _, _, ids = origin
    player = live.token("player", "Pia")
    server = live.serve()
    try:
        with server.client(authorization=f"Bearer {player}") as http:
            asked = set()
            for tool, arguments in [*calls(live.tools("--toolsets", "atlas"), ids),
                                    ("search_articles", {"query": "One article psst"})]:
                asked.add(tool)
                said = answer(http, tool, arguments).text
                assert "psst" not in said and "One " not in said, (tool, said)
            assert len(asked) > 40, asked
    finally:
        server.kill()


def test_players_see_the_same_near_and_far(program, live, origin):
    far, token, ids = origin
    with far.client(**{"x-auth-token": token}) as http:
        def put(path, **fields):
            made = http.put(f"{BASE}/{path}", json={"title": f"Open {path}", "state": "public", **fields}).json()
            assert made["success"], made
            return made["id"]

        # Public parts, one of a hidden whole and one of an open whole each.
        opened = {}
        for part, field, whole in (("marker", "map", "map"), ("era", "timeline", "timeline"),
                                   ("block", "blockfolder", "blockfolder"),
                                   ("variable", "collection", "variablecollection")):
            opened[whole] = put(whole)
            for above in (ids[whole], opened[whole]):
                put(part, **{field: {"id": above}})
        put("article", templateType="item", category={"id": ids["category"]}, authornotes="psst")
    near = live.serve()
    try:
        with (far.client(authorization=f"Bearer {program.token('player', 'Pia')}") as there,
              near.client(authorization=f"Bearer {live.token('player', 'Pia')}") as here):
            seen = 0
            lists = [tool["name"] for tool in live.tools("--toolsets", "atlas")
                     if tool["name"].startswith("list_") and "campaign" not in tool["name"]]
            for tool, arguments in [*((name, {}) for name in lists if name != "list_user_worlds"),
                                    ("list_articles", {"category_id": "-1"}),
                                    *(("get_map_markers", {"map_id": place}) for place in (ids["map"], opened["map"]))]:
                own, seen_here = (answer(http, tool, arguments).json()["result"]["structuredContent"]
                                  for http in (there, here))
                assert own == seen_here, (tool, own, seen_here)
                seen += len(own.get("entities", []))
            # From each pair the open part and the open whole, and the article twice: among all
            # articles and among those without a category, because its category is hidden.
            assert seen == 10, seen
            world = {"world_id": ids["world"]}
            counts = [{name: count for name, count in answer(http, "get_world", world).json()["result"]
                       ["structuredContent"]["data"].items() if name.endswith("_count")} for http in (there, here)]
            assert counts[0] == counts[1] and counts[0]["article_count"] == 1, counts
    finally:
        near.kill()


def test_a_copied_world_is_whole_and_copied_once(binary, live, origin):
    _, _, ids = origin
    cut_short = subprocess.Popen(live.command("sync", "world-anvil"), env=live.environment())
    assert until(live.store.exists)
    cut_short.kill()
    cut_short.wait()
    first = live.ok("sync", "world-anvil")
    assert " 0 left out" in first, first
    again = live.ok("sync", "world-anvil")
    assert again.startswith("0 new, "), again
    copy = Program(binary, live.home)
    with copy.stdio("--toolsets", "atlas") as near, live.stdio("--toolsets", "atlas") as far:
        near.initialize()
        far.initialize()
        for tool in ("list_articles", "list_maps", "list_timelines", "list_histories",
                     "list_secrets", "list_eras", "list_blocks", "list_variables", "list_images"):
            assert ask(near, tool, {})["meta"] == ask(far, tool, {})["meta"], tool
        arguments = {"article_id": ids["article"], "granularity": 2}
        here, there = (ask(side, "get_article", arguments)["data"] for side in (near, far))
        for name in ("title", "content", "tags", "template", "sections", "state"):
            assert here[name] == there[name], name
        assert here["category"]["title"] == there["category"]["title"]
        assert [one["title"] for one in here["secrets"]] == ["One secret"]
        [marker] = ask(near, "get_map_markers", {"map_id": ids["map"]})["entities"]
        assert (marker["latitude"], marker["linked_article"]["id"]) == (1.5, ids["article"])
        history = ask(near, "get_history", {"history_id": ids["history"], "granularity": 2})
        assert history["data"]["timelines"][0]["id"] == ids["timeline"]


def test_a_copy_without_a_list_that_should_be_there_is_not_complete(binary, live, origin):
    server, _, _ = origin
    with kanka_proxy(server.port) as proxy:
        live.settings["WORLD_ANVIL_URL"] = proxy.url.replace("/compat/kanka/1.0", BASE)
        live.ok("sync", "world-anvil")
        # World Anvil does not offer this list to every account, so it may be missing.
        proxy.fail("404 html", "POST .*/world/chronicles")
        told = live.ok("sync", "world-anvil")
        assert "could not be listed: chronicles" in told and " 0 deleted" in told, told
        for fault in ("404 html", "404"):
            proxy.fail(fault, "POST .*/world/articles")
            for _ in range(2):
                done = live.run("sync", "world-anvil")
                assert done.returncode != 0 and "not complete" in done.stderr, (done.stdout, done.stderr)
                assert "not told by World Anvil, so as it was here: articles: " in done.stdout, done.stdout
                assert " 0 deleted" in done.stdout, done.stdout
            proxy.mend()
        again = live.ok("sync", "world-anvil")
        assert again.startswith("0 new, 0 changed") and " 0 deleted" in again, again
    assert call(Program(binary, live.home), "list_articles")["meta"]["total"] == 61


def test_the_standard_answer_tells_what_the_service_tells_late(live, origin):
    server, token, ids = origin
    inside = {"title": "Inner", "parent": {"id": ids["category"]}, "world": {"id": ids["world"]}}
    with server.client(**{"x-auth-token": token}) as http:
        inner = http.put(f"{BASE}/category", json=inside).json()["id"]
    category = call(live, "get_category", category_id=inner)["data"]
    assert category["world"]["id"] == ids["world"] and category["parent_category"]["id"] == ids["category"], category
    assert category["article_count"] == 0
    timeline = call(live, "get_timeline", timeline_id=ids["timeline"])["data"]
    assert [timeline[name][0]["id"] for name in ("histories", "eras")] == [ids["history"], ids["era"]], timeline


def is_held(path) -> bool:
    """Whether a process holds a lock on a file."""
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def test_copies_at_once_wait_for_each_other(live, origin):
    _, _, ids = origin
    several = [live.start("sync", "world-anvil") for _ in range(3)]
    with live.stdio("--toolsets", "atlas") as far:
        far.initialize()
        while any(one.poll() is None for one in several):
            ask(far, "get_article", {"article_id": ids["article"], "granularity": 2})
    told = [one.communicate() for one in several]
    assert [one.returncode for one in several] == [0, 0, 0], told
    new = sorted(int(out.split(" new, ")[0]) for out, _ in told)
    assert new[:2] == [0, 0] and new[2] > 70, told
    assert sum("another copy" in said for _, said in told) >= 1, told
    # A killed sync keeps nobody waiting.
    killed = live.start("sync", "world-anvil")
    assert until(lambda: is_held(live.data / "world-anvil.lock"), pause=0.001)
    killed.kill()
    killed.communicate()
    assert live.ok("sync", "world-anvil").startswith("0 new, ")


def test_what_is_gone_there_goes_here_and_parts_are_copied_too(binary, live, origin):
    server, token, ids = origin
    with server.client(**{"x-auth-token": token}) as http:
        def put(path, **fields):
            made = http.put(f"{BASE}/{path}", json={"title": f"One {path}", **fields}).json()
            assert made["success"], made
            return made["id"]

        http.patch(f"{BASE}/world", params={"id": ids["world"]}, json={"description": "[b]Vale[/b]"})
        version = put("manuscript_version", manuscript={"id": ids["manuscript"]})
        parts = {"manuscript_plot": put("manuscript_plot", version={"id": version}),
                 "blocktemplatepart": put("blocktemplatepart", template={"id": ids["blocktemplate"]}),
                 "markertype": put("markertype")}
        put("markertype", title="Nobody's")
        put("marker", map={"id": ids["map"]}, geoX=1, geoY=2, markertype={"id": parts["markertype"]})
        doomed = {"article": put("article", templateType="item", content="Doomed"), "history": put("history"),
                  "secret": put("secret", content="x")}
        live.ok("sync", "world-anvil")
        for path, thing in doomed.items():
            assert http.delete(f"{BASE}/{path}", params={"id": thing}).json()["success"]
    told = live.ok("sync", "world-anvil")
    assert told.startswith("0 new, ") and " 3 deleted, 0 left out" in told, told
    copy = Program(binary, live.home)
    token = copy.token("owner", "Near")
    near = copy.serve()
    try:
        with near.client(**{"x-auth-token": token}) as http:
            def read(path, thing):
                return http.get(f"{BASE}/{path}", params={"id": thing, "granularity": "2"})

            assert [read(path, thing).status_code for path, thing in doomed.items()] == [404] * 3
            # Ids that are numbers are assigned anew, so compare titles.
            [kind] = http.post(f"{BASE}/markertypes", json={}).json()["entities"]
            assert kind["title"] == "One markertype"
            assert read("manuscript_plot", parts["manuscript_plot"]).json()["title"] == "One manuscript_plot"
            [template] = http.post(f"{BASE}/user/blocktemplates", json={}).json()["entities"]
            below = http.post(f"{BASE}/blocktemplate/blocktemplateparts", params={"id": template["id"]}, json={})
            assert [part["title"] for part in below.json()["entities"]] == ["One blocktemplatepart"]
            world = http.post(f"{BASE}/user/worlds", json={}).json()["entities"][0]["id"]
            about = http.get(f"{BASE}/world", params={"id": world, "granularity": "1"}).json()
            assert about["description"] == "[b]Vale[/b]"
    finally:
        near.kill()
    # After a sync, every text counts as read, so search covers everything.
    with live.stdio("--toolsets", "atlas") as far:
        far.initialize()
        found = ask(far, "search_articles", {"query": "stones"})
        assert found["meta"]["searched"] == 1 and found["entities"][0]["id"] == ids["article"], found
        assert 0 < found["entities"][0]["relevance"] <= 1


def fill_for_searching(program, http) -> None:
    """Creates texts that match the questions in different ways. Some are hidden, mentioned, tagged
    or typed."""
    def put(path, **fields):
        made = http.put(f"{BASE}/{path}", json=fields).json()
        assert made["success"], made
        return made["id"]

    call(program, "create_entities", entities=[
        {"entity_type": "character", "name": "Odo the Grey", "type": "Ferryman", "entry": "Rows the **black** barge.",
         "tags": ["river"]},
        {"entity_type": "location", "name": "Saltmere", "entry": "A harbour town below the white cliff.",
         "is_hidden": True},
    ])
    king = put("article", title="The drowned king", templateType="person", content="He rings [b]bells[/b] under water.")
    cliff = put("article", title="White Cliff", templateType="landmark", state="public", tags="coast,chalk",
                content="[h1]Cliff[/h1]Chalk, and gulls.\n[ul][li]nests[/li][li]caves[/li][/ul]")
    put("article", title="Ilse Marrow", templateType="person", state="public", tags="coast",
        content=f"Keeps the light of @[the cliff](landmark:{cliff}) and hears @[him](person:{king}) ring the bells. "
        + "Gulls follow her. " * 30 + "She owns a lantern.",
        sidebarcontent="Wears a [i]grey[/i] cloak.", authornotes="One of the drowned.")
    put("history", title="The flood", content="The bells sank.", year="3", state="public")
    put("secret", title="The bells", content="Rung by the drowned. A lantern calls them.", article={"id": cliff})


QUESTIONS = ("bells", "drowned bells", "Ilse Marrow", "white cliff", "who hears the bells?", "lantern", "grey cloak",
             "ferryman", "coast", "chalk", "gulls", "Odo", "king", "water", "psst", "barge on the river", "One article",
             "person", "The flood", "zymurgy")


def test_without_a_search_there_what_was_read_is_searched(unsearched, origin):
    _, _, ids = origin
    with unsearched.stdio("--toolsets", "atlas") as far:
        far.initialize()
        found = ask(far, "search_articles", {"query": "person article One"})
        assert found["entities"] and found["meta"]["searched"] < 1
        assert ask(far, "search_articles", {"query": "stones"})["meta"]["total"] == 0
        ask(far, "get_article", {"article_id": ids["article"], "granularity": 2})
        assert ask(far, "search_articles", {"query": "stones"})["entities"][0]["id"] == ids["article"]


def test_the_second_world_is_copied_with_what_it_uses(binary, live, origin):
    server, token, _ = origin
    with server.client(**{"x-auth-token": token}) as http:
        second = http.put(f"{BASE}/world", json={"title": "Second"}).json()["id"]

        def put(path, **fields):
            made = http.put(f"{BASE}/{path}", json={"title": f"Second {path}", "world": {"id": second}, **fields}).json()
            assert made["success"], made
            return {"id": made["id"]}

        system = put("rpgsystem")
        template = put("blocktemplate", RPGSRD=system)
        put("blocktemplatepart", template=template)
        put("block", template=template, RPGSRD=system, blockfolder=put("blockfolder"))
        kind = put("markertype")
        put("marker", map=put("map"), markertype=kind)
        put("notebook")
        put("note", content="A loose thought")
        for path in ("blocktemplates", "notebooks"):
            told = http.post(f"{BASE}/user/{path}", json={}).json()["entities"]
            assert {row["title"] for row in told} == {f"One {path[:-1]}", f"Second {path[:-1]}"}, told
    told = live.ok("sync", "world-anvil", second)
    assert " 0 left out" in told and "could not" not in told, told
    copy = Program(binary, live.home)
    with copy.stdio("--toolsets", "atlas") as near, live.stdio("--toolsets", "atlas") as far:
        near.initialize()
        far.initialize()
        for tool in ("list_block_templates", "list_rpg_systems", "list_notebooks", "list_blocks"):
            here, there = (ask(side, tool, arguments)["entities"]
                           for side, arguments in ((near, {}), (far, {"world_id": second})))
            assert [row["title"] for row in here] == [row["title"] for row in there], tool
            assert len(here) == 1 and here[0]["id"] == there[0]["id"], (tool, here)
        block = ask(near, "get_block", {"block_id": ask(near, "list_blocks", {})["entities"][0]["id"], "granularity": 2})
        assert block["data"]["template"]["title"] == "Second blocktemplate"
        assert ask(near, "search_articles", {"query": "loose thought"})["entities"][0]["title"] == "Second note"


def test_a_copied_world_is_searched_alike_without_the_service_and_with_it(program, binary, unsearched, origin):
    live = unsearched
    far, token, _ = origin
    with far.client(**{"x-auth-token": token}) as http:
        fill_for_searching(program, http)
    live.ok("sync", "world-anvil")
    copy = Program(binary, live.home)
    tokens = {role: (program.token(role, role), live.token(role, role)) for role in ("owner", "player")}
    near, own = live.serve(), copy.serve()
    try:
        for role, (there, here) in tokens.items():
            with (far.client(authorization=f"Bearer {there}") as origin_http,
                  own.client(authorization=f"Bearer {here}") as copy_http,
                  near.client(authorization=f"Bearer {here}") as live_http):
                for question in QUESTIONS:
                    for page in ({}, {"offset": 1, "limit": 2}):
                        asked = {"query": question, **page}
                        at_origin, in_copy, through = (
                            answer(http, "search_articles", asked).json()["result"]["structuredContent"]
                            for http in (origin_http, copy_http, live_http))
                        worlds = [one.pop("world") for one in through["entities"]]
                        assert all(world["title"] == "Main" for world in worlds), worlds
                        for other in (at_origin, in_copy):
                            [one.pop("world") for one in other["entities"]]
                        assert through == in_copy, (role, question)
                        assert near_enough(through, at_origin), (role, question, through, at_origin)
    finally:
        near.kill()
        own.kill()


def near_enough(one: dict, other: dict) -> bool:
    """Whether two answers list the same articles in the same order with nearly the same relevance.
    The rarity of words differs a little, because a copy has other numbers and lacks what nothing
    refers to."""
    told = [[{name: hit[name] for name in ("id", "title", "excerpt", "url")} for hit in side["entities"]]
            for side in (one, other)]
    apart = [abs(here["relevance"] - there["relevance"]) for here, there in zip(one["entities"], other["entities"])]
    return told[0] == told[1] and one["meta"] == other["meta"] and all(by < 0.01 for by in apart)
