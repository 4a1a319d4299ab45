"""Each of the 46 tools over the own world and, through World Anvil's API, over the same one far away: the same answers,
failures among them, for everybody."""

import pytest

from harness.anvil_world import BASE, fill, questions
from harness.program import Program

PEOPLE = ("owner", "gm", "player", "reader")

TOLD_APART = {
    # Who is asked for is who they are here or there, and has another id in each.
    "get_user_identity": ("id", "profile_url", "userhash"),
    # Keys that see everything do not know whom a sheet is for.
    "get_article": ("sheet",),
}
"""What may differ, by the tool."""


@pytest.fixture(scope="module")
def ends(binary, tmp_path_factory):
    """The far end and the near one, with the same people at both; and what nothing lists."""
    homes = tmp_path_factory.mktemp("alike")
    far, near = Program(binary, homes / "far"), Program(binary, homes / "near")
    for program in (far, near):
        program.home.mkdir()
    tokens = {role: far.token(role, role.title()) for role in PEOPLE}
    origin = far.serve()
    near.settings = {"WORLD_ANVIL_URL": f"{origin.origin}{BASE}", "WORLD_ANVIL_APP_KEY": "any",
                     "WORLD_ANVIL_TOKEN": tokens["owner"]}
    with origin.client(**{"x-auth-token": tokens["owner"]}) as http:
        unlisted = fill(far, http)
    there = {role: near.token(role, role.title()) for role in PEOPLE}
    through = near.serve()
    yield (origin, tokens), (through, there), far.tools("--toolsets", "atlas"), unlisted
    through.kill()
    origin.kill()


def asker(http):
    def ask(tool: str, arguments: dict) -> dict:
        call = {"name": tool, "arguments": arguments}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
        return http.post("/mcp/x/atlas", json=body).json()["result"]["structuredContent"]
    return ask


def without(answer: dict, names: tuple) -> dict:
    data = {name: value for name, value in answer.get("data", {}).items() if name not in names}
    return {**answer, "data": data} if "data" in answer else answer


@pytest.mark.parametrize("role", PEOPLE)
def test_every_tool_answers_the_same_near_and_far(ends, role):
    (origin, far), (through, near), tools, unlisted = ends
    assert len(tools) == 46
    asked, answered = set(), 0
    with (origin.client(authorization=f"Bearer {far[role]}") as own,
          through.client(authorization=f"Bearer {near[role]}") as live):
        here, there = asker(own), asker(live)
        for tool, arguments in questions(tools, unlisted, here):
            names = TOLD_APART.get(tool, ())
            one, other = (without(ask(tool, arguments), names) for ask in (here, there))
            assert other == one, (role, tool, arguments)
            asked.add(tool)
            answered += "success" in one
    assert asked == {tool["name"] for tool in tools} and answered > 200, (asked, answered)
