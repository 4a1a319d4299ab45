"""Those who may only read the memory: readers, read-only servers, and players where something is
not theirs."""

import json

import pytest

from harness.web import Session

READING = {
    "kn_intel": ["recall", "crossref", "context", "related"],
    "kn_graph": ["query", "status"],
    "kn_experience": ["search"],
    "kn_project": ["list"],
    "kn_idea": ["list"],
}
WRITES = [
    ("kn_intel", {"action": "learn", "content": "x", "type": "gotcha"}),
    ("kn_graph", {"action": "add", "name": "x", "type": "y"}),
    ("kn_graph", {"action": "restore", "node_id": "x"}),
    ("kn_experience", {"action": "prune", "threshold": 1}),
    ("kn_project", {"action": "list", "set_active": "x"}),
    ("kn_idea", {"action": "create", "title": "x"}),
    ("kn_learn", {"content": "x", "type": "gotcha"}),
]
FACT = {"action": "save", "type": "gotcha", "content": "The tide turns at noon",
        "visibility": "shared"}


def call(program, tool, arguments) -> str:
    """Calls a tool on the command line as the owner and returns what it printed."""
    return program.ok("call", tool, json.dumps(arguments))


@pytest.fixture(params=["reader", "read-only"])
def onlooker(request, program, serve):
    """A session of somebody who may only read, in a world with one experience."""
    call(program, "kn_experience", FACT)
    if request.param == "reader":
        token = program.token("reader", "rita")
        client = serve().client(authorization=f"Bearer {token}")
    else:
        client = serve("--read-only").client()
    with client as http:
        yield Session(http).open()


def test_only_reading_actions_are_offered(onlooker):
    """Each tool is listed with its reading actions only, and is annotated as read-only."""
    tools = {t["name"]: t for t in onlooker.request("tools/list")["tools"]}
    for name, actions in READING.items():
        assert tools[name]["inputSchema"]["properties"]["action"]["enum"] == actions
        assert tools[name]["annotations"]["readOnlyHint"] is True


@pytest.mark.parametrize(("tool", "arguments"), WRITES)
def test_writing_is_refused(onlooker, tool, arguments):
    """Under its current name or a former one."""
    refused = onlooker.call(tool, arguments)
    assert refused["isError"] and refused["structuredContent"]["code"] == "PERMISSION_DENIED"


def test_looking_leaves_no_trace(onlooker):
    """However often it is recalled, nothing is counted and nothing is promoted."""
    for _ in range(8):
        answer = onlooker.call("kn_intel", {"action": "recall", "topic": "tide"})
        [row] = answer["structuredContent"]["results"]
        assert row["source"] == "experience"


def test_players_do_not_see_what_the_game_master_remembers(program, serve):
    """Except for what was shared. What a player stores belongs to the player."""
    secret = {"action": "learn", "type": "gotcha", "content": "The duke is a vampire"}
    call(program, "kn_intel", secret)
    call(program, "kn_experience", FACT)
    token = program.token("player", "pia")
    with serve().client(authorization=f"Bearer {token}") as http:
        player = Session(http).open()

        def ask(tool, **arguments):
            return player.call(tool, arguments)["structuredContent"]

        def seen(topic):
            return str(ask("kn_intel", action="recall", topic=topic, limit=50))

        assert "vampire" not in seen("duke vampire") and "noon" in seen("tide")
        status = ask("kn_graph", action="status")
        assert (status["nodes"], status["experiences"]) == (0, 1)
        ask("kn_intel", action="learn", type="gotcha", content="I fear garlic")
        assert "garlic" in seen("garlic")
    assert "garlic" not in call(program, "kn_intel", {"action": "recall"})


def test_a_readers_token_is_a_readers_in_other_worlds(program, serve):
    """It does not matter what the same person may do there with other tokens."""
    program.ok("world", "create", "Ashfall", "--use")
    program.ok("world", "create", "Velm")
    secret = {"action": "learn", "type": "decision",
              "content": "The archivist of Velm is the traitor"}
    program.ok("--world", "Velm", "call", "kn_intel", json.dumps(secret))
    program.ok("--world", "Velm", "token", "create", "--role", "gm", "--name", "sam")
    program.ok("--world", "Velm", "token", "create", "--role", "reader", "--name", "sam")
    ask = {"action": "crossref", "problem": "archivist Velm traitor"}
    server = serve()
    for role, count in [("reader", 0), ("gm", 1)]:
        token = program.token(role, "sam")
        with server.client(authorization=f"Bearer {token}") as http:
            found = Session(http).open().call("kn_intel", ask)["structuredContent"]
        assert (found["count"], found["searched"]) == (count, ["Velm"])
