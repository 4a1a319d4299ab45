"""Values that are too long, or contain invisible characters, in every text parameter of every
tool."""

import copy
import json
import re

import pytest

from harness.pages import ARTICLE, page_server
from harness.program import Program, until
from harness.rpc import answer_of, message
from harness.stage import Stage
from harness.web import Session

LONG = "x" * 300_000
SAID_MOST = 20_000
"""The maximum size of an error, in characters."""

UNREADABLE = "\ufffd"
"""What an unpaired surrogate is read as."""
UNSEEN = ("\u202e", "\u2066", "\u200b", "\ufeff")
NAMES = ("name", "title", "display_name", "alias")
"""Fields that hold the name of a thing."""


class House:
    """A server with every tool, and things that their examples refer to."""

    def __init__(self, program: Program, pages):
        self.program = program
        program.settings = {"VAULT_PATH": str(program.home), "LOREWELL_WEB_REACHABLE": pages.address}
        self.server = program.serve("--toolsets", "all,atlas-write")
        self.http = self.server.client()
        self.session = Session(self.http).open()
        stage = Stage(self.session, pages.put("/herring", ARTICLE))
        made = self.session.call("create_article", {"title": "A", "template": "item", "content": "B"})
        article = made["structuredContent"]["data"]["id"]
        tools = program.tools("--toolsets", "all,atlas-write")
        # All other placeholders get the id of an article: the tests vary the remaining values.
        for name in re.findall(r'"\$(\w+)"', json.dumps(tools)):
            stage.ids.setdefault(name, article)
        self.tools = [{**tool, "example": stage.filled(tool["example"])} for tool in tools]

    def escaped(self, tool: str, arguments: dict) -> dict:
        """Returns the answer to a call that is sent with escaped characters, so that it may contain
        unpaired surrogates."""
        call = message("tools/call", {"name": tool, "arguments": arguments}, id=8)
        headers = {**self.session.headers, "content-type": "application/json"}
        return answer_of(self.http.post("/mcp", content=json.dumps(call).encode(), headers=headers))["result"]


@pytest.fixture(scope="module")
def house(binary, tmp_path_factory):
    with page_server() as pages:
        house = House(Program(binary, tmp_path_factory.mktemp("values")), pages)
        yield house
        house.http.close()
        house.server.kill()


def texts(schema: dict, path: tuple = ()):
    """Yields the paths of the fields of a schema that take a text; 0 stands for the first item of a
    list."""
    for name, field in schema.get("properties", {}).items():
        if field.get("type") == "string":
            yield (*path, name)
        elif field.get("type") == "array" and field.get("items", {}).get("type") == "string":
            yield (*path, name, 0)
        elif field.get("type") == "array":
            yield from texts(field.get("items", {}), (*path, name, 0))
        else:
            yield from texts(field, (*path, name))


QUOTED = ("entities", "relationships")
"""What ingest_url quotes from a page: it is cleaned, because the caller cannot correct the page."""


def own_texts(tool: dict):
    """Yields the paths of the texts of a tool that are the caller's own."""
    for path in texts(tool["inputSchema"]):
        if tool["name"] != "ingest_url" or path[0] not in QUOTED:
            yield path


def spoilt(tool: dict, path: tuple, value: str) -> list[dict]:
    """Returns the tool's example with a value at a path, once for each of its actions."""
    actions = tool["inputSchema"]["properties"].get("action", {}).get("enum", [None])
    found = []
    for action in actions if path != ("action",) else [None]:
        arguments = copy.deepcopy(tool["example"] or {})
        if action is not None:
            arguments["action"] = action
        place = arguments
        for step, after in zip(path, (*path[1:], None)):
            new = value if after is None else [] if after == 0 else {}
            if isinstance(step, int) and not place:
                place.append(new)
            elif after is None or not isinstance(place, list) and not isinstance(place.get(step), type(new)):
                place[step] = new
            place = place[step]
        found.append(arguments)
    return found


def is_refused(answer: dict) -> bool:
    """Whether an answer is a refusal, in the form of its contract."""
    told = answer.get("structuredContent", {})
    rows = told.get("results") if isinstance(told.get("results"), list) else []
    return bool(answer.get("isError") or told.get("success") is False or told.get("_v") and "error" in told
                or told.get("status") == "error" or any(row.get("success") is False for row in rows))


def test_what_is_too_long_is_told_again_in_short(house):
    """An error names the value that is too long but does not repeat it."""
    wrong = []
    for tool in house.tools:
        for path in texts(tool["inputSchema"]):
            for arguments in spoilt(tool, path, LONG):
                answer = house.session.call(tool["name"], arguments)
                size = len(json.dumps(answer))
                if is_refused(answer) and size > SAID_MOST:
                    wrong.append((tool["name"], path, arguments.get("action"), size))
    assert not wrong


def test_names_are_seen_as_they_are(house):
    """Invisible characters and those that change the direction of text are refused, and the error
    names the field."""
    wrong = []
    for tool in house.tools:
        if tool["annotations"]["readOnlyHint"]:
            continue
        for path in (path for path in own_texts(tool) if path[-1] in NAMES):
            for unseen in UNSEEN:
                for arguments in spoilt(tool, path, f"Ada{unseen}Holt"):
                    answer = house.session.call(tool["name"], arguments)
                    told = json.dumps(answer, ensure_ascii=False)
                    if not is_refused(answer) and unseen in told:
                        wrong.append((tool["name"], path, arguments.get("action"), hex(ord(unseen)), told[:200]))
                    elif "cannot be seen" in told and path[-1] not in told:
                        wrong.append((tool["name"], path, "names another field", told[:200]))
    assert not wrong
    found = [house.session.call("kn_graph", {"action": "query", "text": "Ada Holt", "limit": 50}),
             house.session.call("find_entities", {"name": "Ada"}), house.session.call("search_articles", {"query": "Ada"})]
    assert not [unseen for unseen in UNSEEN if unseen in json.dumps(found, ensure_ascii=False)]


HIDDEN = ("\u202e", "\u2066", "\U000e0041", "\U0001f3f4\U000e0061\U000e007f")
WANTED = ("می\u200cخواهم", "\u200fשלום\u200e", "👩\u200d🚀 ❤\ufe0f", "co\u00adoperate",
          "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f")
"""What scripts and emoji need, and the flag of Scotland."""


READING = {
    "kn_intel": ("recall", "crossref", "context", "related"), "kn_graph": ("query", "status"),
    "kn_experience": ("search",), "kn_idea": ("list",), "kn_project": ("list",),
    "github_scan": ("status",), "monitor_url": ("status",),
}
"""The actions that store nothing."""
BATCHES = ("create_entities", "update_entities", "create_posts", "update_posts", "delete_posts")
"""Tools that report for each item whether it was refused."""


def refused_for(answer: dict, tool: str, path: tuple) -> bool:
    """Whether an answer says that a text has a hidden character, and names its field."""
    told = answer.get("structuredContent", {})
    if tool in BATCHES and len(path) > 2:
        [row] = told.get("results", [{}])
        error = row.get("error", "")
        return row.get("success") is False and error.startswith(path[2]) and "cannot be seen" in error
    field = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)[1:]
    return bool(answer.get("isError") and told.get("field") == field and "cannot be seen" in told["message"])


def test_texts_hide_nothing(house):
    """Every text of every call that writes: what people would not see is refused, and the error
    names the field. What only reads does not call it a mistake, whatever else it answers. No answer
    contains it, and what scripts need is not called hidden."""
    wrong = []
    for tool in house.tools:
        reads = tool["annotations"]["readOnlyHint"]
        for path in own_texts(tool):
            for hidden in HIDDEN:
                for arguments in spoilt(tool, path, f"Rope{hidden} oil"):
                    answer = house.session.call(tool["name"], arguments)
                    text = json.dumps(answer, ensure_ascii=False)
                    only_read = reads or arguments.get("action") in READING.get(tool["name"], ())
                    fine = "cannot be seen" not in text if only_read else refused_for(answer, tool["name"], path)
                    if not fine or hidden in text:
                        wrong.append((tool["name"], path, arguments.get("action"), text[:200]))
    assert not wrong
    entry = " ".join(WANTED)
    made = house.session.call("create_entities", {"entities": [
        {"entity_type": "note", "name": "Scripts", "entry": entry}]})["structuredContent"]["results"][0]
    read = house.session.call("get_entities", {"entity_ids": [made["entity_id"]]})
    assert read["structuredContent"]["results"][0]["entry"] == entry


def test_any_text_can_be_looked_for(house):
    """Numbers and names are copied with the marks that show them in the right direction."""
    house.session.call("kn_graph", {"action": "add", "name": "Ferry office", "type": "place",
                                    "description": "Its number is +49 170 1234567."})
    number, dark = "\u202a+49 170 1234567\u202c", "\u202e\U000e0041"
    found = lambda tool, arguments: json.dumps(house.session.call(tool, arguments)["structuredContent"])
    for tool, arguments in (
        ("kn_intel", {"action": "recall", "topic": number}),
        ("kn_intel", {"action": "context", "keywords": number}),
        ("kn_graph", {"action": "query", "text": f"Ferry{dark} office"}),
        ("kn_graph", {"action": "query", "node_id": f"{dark}Ferry office"}),
        ("knowledge_search", {"query": f"Ferry{dark} office"}),
    ):
        assert "Ferry office" in found(tool, arguments), (tool, arguments)
    for action, argument in (("recall", "topic"), ("crossref", "problem"), ("context", "keywords")):
        for text in (dark, number, "\u2067שלום\u2069", "\u200fשלום\u200e"):
            answer = house.session.call("kn_intel", {"action": action, argument: f"x {text}"})
            assert not is_refused(answer), (action, text, answer)


def test_an_item_that_hides_something_stops_no_other(house):
    made = house.session.call("create_entities", {"entities": [
        {"entity_type": "note", "name": "A\u202eB", "entry": "x"},
        {"entity_type": "note", "name": "C", "entry": "x\U000e0041"},
        {"entity_type": "note", "name": "Lamp oil", "entry": "x"}]})
    rows = made["structuredContent"]["results"]
    assert [row["success"] for row in rows] == [False, False, True]
    assert rows[0]["error"].startswith("name has U+202E") and rows[1]["error"].startswith("entry has U+E0041")
    assert "\u202e" not in json.dumps(made, ensure_ascii=False)


def test_errors_quote_in_short_and_hide_nothing(house):
    for tool, arguments in (
        ("session_recap", {"context_id": "%s"}), ("get_article", {"article_id": "%s"}), ("get_entities", {"entity_ids": ["%s"]}),
        ("get_entity_neighborhood", {"entity_uri": "orn:x:%s"}), ("get_entity_neighborhood", {"entity_uri": "%s"}),
        ("roll_dice", {"dice": [{"sides": 6}], "rng": {"roll_mode": "REPLAY", "seed": "%s"}}),
        ("find_entities", {"%s": "x"}), ("kn_graph", {"action": "query", "%s": "x"}), ("%s", {}),
    ):
        for quoted in ("\u202eevil", "\U000e0041evil", "word " * 2_000, "x" * 10_000):
            filled = json.loads(json.dumps([tool, arguments]).replace("%s", quoted))
            told = json.dumps(house.session.ask("tools/call", {"name": filled[0], "arguments": filled[1]}))
            assert "\\u202e" not in told and "\\udb40" not in told, told
            assert len(told) < 2_000, told


def test_texts_of_the_compatible_apis_hide_nothing(program, serve):
    hidden = "Rope\U000e0041 oil"
    token = program.token("owner", "Ada")
    server = serve("--toolsets", "all,atlas-write")
    with server.client(authorization=f"Bearer {token}") as http:
        [campaign] = http.get("/compat/kanka/1.0/campaigns").json()["data"]
        kanka = f"/compat/kanka/1.0/campaigns/{campaign['id']}"
        boromir = "/compat/worldanvil/api/external/boromir/article"
        person = {"name": "A", "type": "Person", "description": hidden}
        page = "https://page.example/herring"
        for verb, path, body in (
            ("POST", f"{kanka}/notes", {"name": "A", "entry": hidden}),
            ("PUT", boromir, {"title": "A", "templateType": "article", "content": hidden}),
            ("POST", "/compat/koi/register-entity", person),
            ("POST", "/compat/koi/web/preview", {"url": page, "submitted_by": hidden}),
            ("POST", "/compat/koi/web/monitor/add", {"url": page, "title": hidden}),
            ("POST", "/compat/koi/web/evaluate", {"url": page, "decision": "ingest", "relevance_reasoning": hidden}),
            ("POST", "/compat/koi/web/evaluate", {"url": page, "decision": "ingest", "bioregional_tags": [hidden]}),
            ("POST", "/compat/koi/ingest", {"document_rid": hidden, "content": "A"}),
            ("POST", "/compat/koi/github/repos", {"repo_url": f"https://code.example/{hidden}"}),
        ):
            answer = http.request(verb, path, json=body)
            assert answer.status_code >= 400 and "cannot be seen" in answer.text, (path, answer.text)


def test_half_a_letter_is_no_part_of_a_name(house):
    """Nobody could search for such a name."""
    wrong = []
    for tool in house.tools:
        if tool["annotations"]["readOnlyHint"]:
            continue
        for path in (path for path in own_texts(tool) if path[-1] in NAMES):
            for arguments in spoilt(tool, path, "Ada\ud83dHolt"):
                answer = house.escaped(tool["name"], arguments)
                told = json.dumps(answer, ensure_ascii=False)
                if not is_refused(answer) and UNREADABLE in told:
                    wrong.append((tool["name"], path, arguments.get("action"), told[:200]))
                elif "stands for no character" in told and path[-1] not in told:
                    wrong.append((tool["name"], path, "names another field", told[:200]))
    assert not wrong
    made = house.escaped("campaign_create", {"name": "A\ud83d", "gm_mode": "AI"})
    assert made["isError"] and made["structuredContent"]["field"] == "name", made


def test_what_goes_too_deep_is_named(house):
    deep: list = []
    for _ in range(200):
        deep = [deep]
    call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call",
            "params": {"name": "find_entities", "arguments": {"query": "x", "tags": deep}}}
    told = house.http.post("/mcp", json=call, headers=house.session.headers).json()
    assert told["id"] == 7 and told["error"]["data"]["field"] == "params.arguments.tags", told
    assert told["error"]["data"]["code"] == "INVALID_ARGUMENT"
    with house.program.stdio() as pipes:
        pipes.initialize()
        pipes.send(call)
        told = pipes.receive()
        assert told["error"]["data"]["field"] == "params.arguments.tags", told


def test_a_folder_outside_the_vault_is_refused_by_its_name(house):
    answer = house.session.call("vault_list_notes", {"folder": "../x"})
    assert answer["isError"] and answer["structuredContent"]["field"] == "folder", answer


def test_what_others_call_a_thing_is_cleaned(house):
    """Names from web pages and notes are cleaned instead of refused, because nobody can be asked to
    correct them."""
    note = "---\n\"@type\": schema:Person\nname: \"Ida\u202e Penn\"\n---\nShe is.\n"
    file = house.program.home / "People" / "Ida.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(note.replace("She is.", "She is\U000e0041 here."))
    resolved = lambda: house.session.call("resolve_entity", {"label": "Ida Penn"})["structuredContent"]
    assert until(lambda: resolved()["candidates"]), resolved()
    assert resolved()["candidates"][0]["name"] == "Ida Penn"
    found = house.session.call("knowledge_search", {"query": "She is here"})
    assert "\U000e0041" not in json.dumps(found, ensure_ascii=False)
