"""One damaged row keeps nothing else from being read, and nothing wrong is shown in its place."""

import json

import pytest

from harness.program import Program
from harness.table import Seat
from harness.web import Session

SAID = "Casks of cider stand in it."
DAMAGES = {
    "a text": (b"Casks of cider", b"Casks of cidEr"),
    "a name": (b"Zellar Prime", b"ZellaR Prime"),
}
OTHERS = [f"Meadow {number}" for number in range(5)]


@pytest.fixture(params=DAMAGES)
def damaged(request, program: Program, serve):
    """A server with six pages, one of which is damaged in the store."""
    pages = [{"entity_type": "location", "name": "Zellar Prime", "entry": SAID, "tags": ["place"]}]
    pages += [{"entity_type": "location", "name": name, "entry": f"Herbs grow on {name}. [entity:1]", "tags": ["place"]}
              for name in OTHERS]
    program.ok("call", "create_entities", json.dumps({"entities": pages}))
    program.ok("call", "kn_graph", json.dumps(
        {"action": "add", "name": "Herbal", "type": "concept", "description": "Herbs and what they do."}))
    token = program.token("owner", "Ada")
    good, (was, has) = program.store.read_bytes(), DAMAGES[request.param]
    assert was in good
    program.store.write_bytes(good.replace(was, has))
    server = serve("--toolsets", "all,atlas-write")
    with server.client(authorization=f"Bearer {token}") as http:
        yield Seat(Session(http).open()), http, server, has.decode()


def test_its_neighbours_are_read(damaged):
    seat, http, server, wrong = damaged
    said = []

    def ask(tool: str, **arguments):
        answer = seat.client.call(tool, arguments)
        said.append(json.dumps(answer))
        assert not answer.get("isError"), (tool, arguments, answer)
        return answer["structuredContent"]

    rows = ask("get_entities", entity_ids=[1, 3, 4])["results"]
    assert [row["success"] for row in rows] == [False, True, True], rows
    assert "damaged" in rows[0]["error"] and "not found" not in rows[0]["error"]
    assert {row["name"] for row in ask("find_entities")["entities"]} >= set(OTHERS)
    assert {row["name"] for row in ask("find_entities", tags=["place"])["entities"]} == set(OTHERS)
    assert {row["name"] for row in ask("find_entities", query="herbs")["entities"]} >= set(OTHERS)
    assert not [row for row in ask("find_entities", query="casks")["entities"] if row["name"] == "Zellar Prime"]
    assert ask("kn_intel", action="recall", topic="herbs")["results"]
    recalled = ask("kn_intel", action="recall", topic="casks")["results"]
    assert "Zellar Prime" not in [row["name"] for row in recalled]
    assert ask("kn_graph", action="query", text="herbs")["nodes"]
    assert ask("kn_graph", action="query", limit=50)["nodes"]
    assert ask("knowledge_search", query="herbs")["results"]
    assert ask("search_articles", query="herbs")["entities"]
    assert ask("list_articles", limit=50)["entities"]
    [campaign] = http.get("/compat/kanka/1.0/campaigns").json()["data"]
    for path in ("locations", "entities", "locations?related=1", "tags"):
        answer = http.get(f"/compat/kanka/1.0/campaigns/{campaign['id']}/{path}")
        assert answer.status_code == 200, (path, answer.text)
        said.append(answer.text)
    assert wrong not in "".join(said)
    assert "is not what was written" in server.log()


def test_who_asks_for_it_alone_is_told(damaged):
    """Nothing overwrites the damaged row either."""
    seat, http, server, wrong = damaged
    [campaign] = http.get("/compat/kanka/1.0/campaigns").json()["data"]
    answer = http.get(f"/compat/kanka/1.0/campaigns/{campaign['id']}/locations/1")
    assert answer.status_code == 500 and wrong not in answer.text, answer.text
    updates = [{"entity_id": 1, "entry": "New."}, {"entity_id": 3, "type": "Glade"}]
    done = seat.client.call("update_entities", {"updates": updates})
    rows = done["structuredContent"]["results"]
    assert [row["success"] for row in rows] == [False, True], rows
    assert "damaged" in rows[0]["error"]
    found = server.program.run("doctor")
    assert found.returncode == 1 and "--accept" in found.stdout, found.stdout


def test_documents_of_others_are_read(program, serve):
    """For the attributes of pages: those of the damaged page are neither shown nor overwritten."""
    token = program.token("owner", "Ada")
    server = serve()
    with server.client(authorization=f"Bearer {token}") as http:
        [campaign] = http.get("/compat/kanka/1.0/campaigns").json()["data"]
        kanka = f"/compat/kanka/1.0/campaigns/{campaign['id']}"
        pages = [http.post(f"{kanka}/locations", json={"name": name}).json()["data"]["entity_id"] for name in "AB"]
        for page, name in zip(pages, ("Depth in fathoms", "Height in feet")):
            assert http.post(f"{kanka}/entities/{page}/attributes", json={"name": name}).status_code == 201
    assert server.stop() == 0
    good = program.store.read_bytes()
    assert b"Depth in fathoms" in good
    program.store.write_bytes(good.replace(b"Depth in fathoms", b"Depth in fathOms"))
    server.start()
    with server.client(authorization=f"Bearer {token}") as http:
        listed = http.get(f"{kanka}/locations", params={"related": 1})
        assert listed.status_code == 200 and "Height in feet" in listed.text, listed.text
        assert "fath" not in listed.text and "is not what was written" in server.log()
        path = f"{kanka}/entities/{pages[0]}/attributes"
        answers = [http.get(path), http.post(path, json={"name": "Other"})]
        assert [answer.status_code for answer in answers] == [500, 500]
        assert "fath" not in "".join(answer.text for answer in answers)


TABLE = {
    "the name of a campaign": (b"The Lost Expedition", b"The LosT Expedition"),
    "a theme": (b"Fog over everything", b"Fog oveR everything"),
    "the state of a table": (b'"gm_fear":0,"active_session":"', b'"gm_fear":7,"active_session":"'),
    "the notes of a character": (b"Fears the sea", b"FearS the sea"),
    "a sheet": (b'"evasion":17', b'"evasion":18'),
    "a project": (b"Copper harvest", b"CoppeR harvest"),
    "an experience": (b"Kelp dries in two days", b"Kelp drieS in two days"),
}


@pytest.fixture(params=TABLE)
def table(request, program: Program, serve):
    """A server with two of everything that the table and the memory list, one of which is damaged
    in the store."""
    server = serve()
    with server.client() as http:
        seat = Seat(Session(http).open())
        for name, theme, notes in (("The Lost Expedition", "Fog over everything.", "Fears the sea."),
                                   ("The Quiet Isle", "Sun.", "Likes it.")):
            campaign = seat.do("campaign_create", name=name, gm_mode="HUMAN", theme_prompt=theme)["id"]
            hero = seat.do("character_create", campaign_id=campaign, name=f"Hero of {name}", kind="PC", notes=notes)["id"]
            seat.do("character_profile_patch", character_id=hero, evasion=17 if "Fog" in theme else 9)
            if "Fog" in theme:
                seat.do("session_start", campaign_id=campaign)
                lost = campaign
        for name in ("Copper harvest", "Rope walk"):
            seat.do("kn_project", action="create", name=name, goals=["Much of it"])
        for said in ("Kelp dries in two days", "Rope swells when wet"):
            seat.do("kn_experience", action="save", type="gotcha", content=said)
    assert server.stop() == 0
    good, (was, has) = program.store.read_bytes(), TABLE[request.param]
    assert was in good, was
    program.store.write_bytes(good.replace(was, has))
    server.start()
    with server.client() as http:
        yield Seat(Session(http).open()), program, lost, has.decode()


def test_lists_of_the_table_and_of_memory_go_on_and_name_what_is_left_out(table):
    seat, _, lost, wrong = table
    documents = {uri: seat.read(uri) for uri in ("campaigns://list", "kn://projects", "kn://memories", "kn://status")}
    told = [seat.result(tool, call) for tool, call in (
        ("kn_project", {"action": "list"}), ("kn_intel", {"action": "recall", "topic": "rope"}),
        ("kn_experience", {"action": "search"}), ("find_entities", {}),
        ("get_entities", {"entity_ids": [2, 5]}), ("koi_search", {"query": "hero"}),
        ("knowledge_search", {"query": "hero rope copper kelp"}), ("kn_graph", {"action": "query", "limit": 50}))]
    assert not [answer for answer in told if answer.get("isError")]
    assert "result" in seat.ask("prompts/get", {"name": "kn_bootup", "arguments": {}})
    said = json.dumps([documents, told], separators=(",", ":"))
    assert wrong not in said and "The Quiet Isle" in json.dumps(documents["campaigns://list"])
    assert "Rope walk" in json.dumps(documents["kn://projects"]) and "Rope swells" in json.dumps(documents["kn://memories"])
    assert "is not what was written" in said, "nobody is told"
    for answer in told:
        text = answer["content"][0]["text"]
        assert ("damaged" in answer["structuredContent"]) == ("is not what was written" in text), answer
    found = seat.ask("resources/read", {"uri": f"campaign://{lost}/characters"})
    assert "result" in found or "damaged" in json.dumps(found), found


@pytest.mark.parametrize("format", ["jsonl", "markdown"])
def test_an_export_goes_on_and_names_what_is_left_out(table, format, tmp_path):
    _, program, _, wrong = table
    target = tmp_path / ("out" if format == "markdown" else "out.jsonl")
    done = program.run("export", "memory", format, str(target))
    assert done.returncode == 0, done.stderr
    files = list(target.iterdir()) if target.is_dir() else [target]
    said = "".join(file.read_text() for file in files)
    assert "Rope walk" in said and wrong not in said
    in_export = not wrong.startswith('"')
    assert ("damaged, so left out: " in done.stderr) == in_export, done.stderr
