"""The contract of the memory tools, over HTTP and over stdio: envelopes, shapes, refusals,
resources, prompts."""

import json

import pytest

from harness.program import until
from harness.rpc import tool_names
from harness.web import Session

TOOLS = ["kn_intel", "kn_graph", "kn_experience", "kn_project", "kn_idea"]
FORMER = """kn_add kn_connect kn_query kn_remove kn_status kn_projects kn_log kn_save kn_memories
kn_prune kn_ideas kn_learn kn_recall kn_crossref kn_context kn_related""".split()


class Mind:
    """A client of the memory tools."""

    def __init__(self, client):
        self.client = client

    def call(self, tool: str, arguments: dict) -> dict:
        return self.client.request("tools/call", {"name": tool, "arguments": arguments})

    def answer(self, tool: str, arguments: dict) -> dict:
        """Returns the envelope of an answer, which must be the same as text and as structure, and
        never a failure."""
        result = self.call(tool, arguments)
        assert not result.get("isError"), result
        [content] = result["content"]
        envelope = json.loads(content["text"])
        assert envelope == result["structuredContent"]
        assert envelope["_v"] == "1.0"
        return envelope

    def do(self, tool: str, action: str | None = None, **arguments) -> dict:
        """Calls an action that must succeed and returns its envelope."""
        if action:
            arguments["action"] = action
        envelope = self.answer(tool, arguments)
        assert "error" not in envelope, envelope
        return envelope

    def refused(self, tool: str, action: str, **arguments) -> str:
        """Calls an action that must be refused in the contract's form and returns the error."""
        envelope = self.answer(tool, {"action": action, **arguments})
        assert envelope["hint"], envelope
        return envelope["error"]

    def read(self, uri: str) -> dict:
        [content] = self.client.request("resources/read", {"uri": uri})["contents"]
        assert content["mimeType"] == "application/json"
        return json.loads(content["text"])

    def prompt(self, name: str) -> str:
        [message] = self.client.request("prompts/get", {"name": name})["messages"]
        assert message["role"] == "user"
        return message["content"]["text"]


@pytest.fixture(params=["http", "stdio"])
def mind(request, program, serve):
    """A client of an empty world on one of the transports."""
    if request.param == "http":
        with serve().client() as http:
            yield Mind(Session(http).open())
    else:
        with program.stdio() as pipes:
            pipes.initialize()
            yield Mind(pipes)


def keys(row: dict) -> set[str]:
    return set(row)


def test_five_tools_are_listed_and_the_former_names_are_not(mind):
    """A model sees five tools; the former names are still accepted but not listed."""
    names = tool_names(mind.client.request("tools/list"))
    assert [name for name in names if name.startswith("kn_")] == TOOLS
    assert not set(FORMER) & set(names)


def test_the_list_costs_a_model_little(mind):
    """Names, descriptions and arguments of the toolset stay below about nine kilobytes."""
    tools = [t for t in mind.client.request("tools/list")["tools"] if t["name"] in TOOLS]
    cost = sum(
        len(json.dumps([t["name"], t["description"], t["inputSchema"]], separators=(",", ":")))
        for t in tools
    )
    assert cost <= 9_000 + 40 * len(tools), cost


def test_every_action_is_in_its_schema(mind):
    """The actions of the contract, plus `restore`."""
    wanted = {
        "kn_graph": {"add", "connect", "query", "remove", "status", "restore"},
        "kn_project": {"create", "update", "list", "log"},
        "kn_experience": {"save", "search", "prune"},
        "kn_idea": {"create", "update", "list"},
        "kn_intel": {"learn", "recall", "crossref", "context", "related"},
    }
    for tool in mind.client.request("tools/list")["tools"]:
        if tool["name"] in wanted:
            action = tool["inputSchema"]["properties"]["action"]
            assert set(action["enum"]) == wanted[tool["name"]]
            assert tool["inputSchema"]["required"] == ["action"]


def test_shapes_of_the_graph(mind):
    """Nodes, edges and counts have the shapes of the contract."""
    node = mind.do("kn_graph", "add", name="Ferry", type="ship", description="Sails at dawn.",
                   tags=["isles"])
    assert keys(node) >= {"id", "name", "type", "namespace", "description", "properties", "tags",
                          "visibility", "source_type", "created_at", "updated_at"}
    assert (node["visibility"], node["source_type"]) == ("workspace", "manual")
    other = mind.do("kn_graph", "add", name="Isle", type="place")
    assert other["description"] is None
    edge = mind.do("kn_graph", "connect", source_id=node["id"], target_id=other["id"],
                   edge_type="sails_to")
    assert keys(edge) == {"_v", "source_id", "target_id", "type", "weight", "properties",
                          "visibility", "created_by", "created_at"}
    assert (edge["weight"], edge["visibility"]) == (1.0, "workspace")
    found = mind.do("kn_graph", "query", text="ferry")
    assert found["count"] == len(found["nodes"])
    assert keys(found["nodes"][0]) == {"_v", "id", "name", "type"}
    removed = mind.do("kn_graph", "remove", node_id=other["id"])
    assert removed == {"_v": "1.0", "removed": "node", "id": other["id"]}
    status = mind.do("kn_graph", "status")
    assert (status["nodes"], status["edges"], status["namespaces"]) == (1, 0, {"knowledge": 1})
    assert status["health"]["ok"] is True


def test_shapes_of_learning_and_recalling(mind):
    """Certain facts are stored as nodes, uncertain ones as experiences that fade. Recall returns
    both, each once."""
    sure = mind.do("kn_intel", "learn", content="Tar the ropes in spring", type="pattern")
    assert (sure["stored_as"], sure["confidence"], sure["candidates"]) == ("node", "high", [])
    unsure = mind.do("kn_intel", "learn", content="Ropes may be cheaper in Orm", type="gotcha",
                     confidence="low")
    assert (unsure["stored_as"], unsure["node_id"]) == ("experience", None)
    rows = mind.do("kn_intel", "recall", topic="ropes")["results"]
    assert {row["id"] for row in rows} == {sure["node_id"], unsure["experience_id"]}
    for row in rows:
        wanted = {"source", "id", "type", "relevance"}
        wanted |= {"name", "description"} if row["source"] == "node" else {"content", "confidence"}
        assert keys(row) >= wanted
    saved = mind.do("kn_experience", "save", content="Nets tear on the reef", type="workaround")
    assert (saved["decay_rate"], saved["score"]) == (0.013863, 1.0)
    found = mind.do("kn_experience", "search", text="reef")["experiences"]
    assert keys(found[0]) >= {"id", "type", "content", "confidence", "relevance", "tags"}
    assert found[0]["relevance"] == 1.0
    assert mind.do("kn_experience", "prune") == {"_v": "1.0", "pruned_count": 0, "pruned_ids": []}


def test_what_is_written_is_found_by_the_next_call(mind):
    """This holds fifty times in a row."""
    for number in range(50):
        fact = mind.do("kn_intel", "learn", content=f"Berth {number} belongs to ship {number * 7}",
                       type="decision")
        rows = mind.do("kn_intel", "recall", topic=f"who owns berth {number}?", limit=50)["results"]
        assert fact["node_id"] in {row["id"] for row in rows}


def test_what_other_toolsets_keep_is_recalled(mind):
    """A page created with the pages tools is recalled from memory."""
    made = mind.call("create_entities", {
        "entities": [{"entity_type": "character", "name": "Aelysh",
                      "entry": "Keeps the lighthouse lamp burning."}],
    })
    assert not made.get("isError"), made
    rows = mind.do("kn_intel", "recall", topic="who keeps the lighthouse lamp?")["results"]
    assert (rows[0]["name"], rows[0]["type"]) == ("Aelysh", "character")


REFUSALS = [
    ("kn_graph", "fly", {}, "Unknown action: fly"),
    ("kn_intel", "forget", {}, "Unknown action: forget"),
    ("kn_graph", "add", {"type": "x"}, "name is required for add"),
    ("kn_graph", "add", {"name": "\t ", "type": "x"}, "name is required for add"),
    ("kn_graph", "connect", {"source_id": "a"}, "target_id is required for connect"),
    ("kn_graph", "remove", {}, "Provide node_id or (source_id + target_id + edge_type)"),
    ("kn_graph", "restore", {"node_id": "nope"}, "Node not found: nope"),
    ("kn_project", "update", {"project_id": "p"}, "name is required for update"),
    ("kn_project", "list", {"set_active": "p"}, "Project not found: p"),
    ("kn_experience", "save", {"content": "x"}, "type is required for save"),
    ("kn_idea", "update", {"idea_id": "i"}, "title is required for update"),
    ("kn_intel", "crossref", {"problem": " "}, "problem is required for crossref"),
]


@pytest.mark.parametrize(("tool", "action", "arguments", "wanted"), REFUSALS)
def test_refusals(mind, tool, action, arguments, wanted):
    """A mistake of the caller is explained in the contract's words."""
    assert mind.refused(tool, action, **arguments) == wanted


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("kn_graph", {"action": "query", "limit": 51}),
        ("kn_graph", {"action": "query", "limit": "many"}),
        ("kn_graph", {"action": "query", "offset": -1}),
        ("kn_intel", {"action": "related", "node_id": "x", "depth": 0}),
        ("kn_experience", {"action": "prune", "threshold": 1.5}),
        ("kn_graph", {"action": "query", "colour": "red"}),
        ("kn_graph", {}),
    ],
)
def test_arguments_that_no_action_could_read_fail(mind, tool, arguments):
    """Arguments that are out of range, of the wrong type or unknown fail as with every other
    tool."""
    result = mind.call(tool, arguments)
    assert result["isError"] and result["structuredContent"]["code"] == "INVALID_ARGUMENT"


def test_an_empty_world_says_so(mind):
    """Resources and prompts of a world in which nothing has happened."""
    assert mind.read("kn://projects") == {"_v": "1.0", "count": 0, "projects": []}
    assert mind.read("kn://memories") == {"_v": "1.0", "count": 0, "experiences": []}
    status = mind.read("kn://status")
    assert status["active_project"] is None and status["graph"]["nodes"] == 0
    assert "no project yet" in mind.prompt("kn_bootup").lower()
    assert "no project yet" in mind.prompt("kn_review").lower()


def test_a_large_world_is_shown_in_brief(mind):
    """Prompts and resources stay short, however much there is."""
    for number in range(60):
        mind.do("kn_experience", "save", content=f"Lesson {number}: " + "wind " * 200,
                type="pattern")
    project = mind.do("kn_project", "create", name="Fleet", goals=["Ten ships"])["id"]
    mind.do("kn_project", "list", set_active=project)
    for number in range(30):
        mind.do("kn_project", "log", project_id=project, action_text=f"Plank {number} " * 20)
    memories = mind.read("kn://memories")
    assert memories["count"] == 20
    assert all(len(row["content"]) <= 200 for row in memories["experiences"])
    [shown] = mind.read("kn://projects")["projects"]
    assert len(shown["recent_progress"]) == 3
    bootup = mind.prompt("kn_bootup")
    assert "Active Project: Fleet" in bootup and bootup.count("[OK]") == 5
    assert bootup.count("[pattern]") == 5 and len(bootup) < 6_000
    assert "Completed (10)" in mind.prompt("kn_review")


def test_secrets_never_reach_the_store(mind, program):
    """Whatever looks like a key is masked, reported, and in none of the files."""
    key = "ghp_" + "Zx9" * 12
    for tool, arguments in [
        ("kn_graph", {"action": "add", "name": "n", "type": "t", "description": f"use {key}"}),
        ("kn_intel", {"action": "learn", "content": f"token {key}", "type": "gotcha"}),
        ("kn_experience", {"action": "save", "content": "x", "context": key, "type": "gotcha"}),
    ]:
        answer = mind.answer(tool, arguments)
        assert answer["masked"] == ["GitHub token"] and key not in json.dumps(answer)
    files = [file.read_bytes() for file in program.data.iterdir() if file.is_file()]
    assert files and not any(key.encode() in content for content in files)


def test_facts_outlive_the_server(program):
    """One process recalls what another one learned."""
    with program.stdio() as pipes:
        pipes.initialize()
        fact = Mind(pipes).do("kn_intel", "learn", content="The reef lies north", type="gotcha")
    with program.stdio() as pipes:
        pipes.initialize()
        [row] = Mind(pipes).do("kn_intel", "recall", topic="reef")["results"]
        assert row["id"] == fact["node_id"]


def test_search_is_ready_before_anybody_asks(program, serve):
    """The server prepares search when it starts, not when the first client asks."""
    program.ok("call", "kn_intel", json.dumps(
        {"action": "learn", "type": "decision", "content": "We sail with the morning tide"}))
    server = serve(env={"LOREWELL_LOG": "lore_app=debug"})
    assert until(lambda: "search is ready" in server.log())
