"""Each of the 46 atlas tools gives the same answers over the local world as over the same world on
another server, reached through World Anvil's API. That includes failures, and holds for every
role."""

import pytest

from harness.anvil_world import BASE, HIDDEN, fill, questions
from harness.program import Program

PEOPLE = ("owner", "gm", "player", "reader")
GM_SIDE = PEOPLE[:2]

TOLD_APART = {
    # A user has another id on each server, and asks about themselves.
    "get_user_identity": ("id", "profile_url", "userhash"),
}
"""The fields that may differ, by tool."""


@pytest.fixture(scope="module")
def ends(binary, tmp_path_factory):
    """The far server, which has the world, and the near one, which reaches it live, with the same
    people on both; the tools; and the ids that no list returns."""
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
        return request(http, "tools/call", {"name": tool, "arguments": arguments})["result"]["structuredContent"]
    return ask


def request(http, method: str, params: dict) -> dict:
    return http.post("/mcp/x/atlas", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).json()


def without(answer: dict, names: tuple) -> dict:
    data = {name: value for name, value in answer.get("data", {}).items() if name not in names}
    return {**answer, "data": data} if "data" in answer else answer


def tells_hidden(arguments: dict, answer: dict) -> bool:
    """Whether an answer contains the hidden word although the question does not."""
    return HIDDEN in str(answer) and HIDDEN not in str(arguments)


def told_apart(one, other, path: str = "") -> list[tuple]:
    """Returns the paths at which two answers differ, with the value of each."""
    if isinstance(one, dict) and isinstance(other, dict):
        names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
        return [found for name in names for found in told_apart(one.get(name), other.get(name), f"{path}.{name}")]
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(at, *pair) for at, pair in enumerate(zip(one, other)) if pair[0] != pair[1]]
        return [found for at, *pair in pairs for found in told_apart(*pair, f"{path}[{at}]")]
    return [(path, one, other)]


@pytest.mark.parametrize("role", PEOPLE)
def test_every_tool_answers_the_same_near_and_far(ends, role):
    (origin, far), (through, near), tools, unlisted = ends
    assert len(tools) == 46
    asked, urls, answered, differing = set(), set(), 0, []
    with (origin.client(authorization=f"Bearer {far[role]}") as own,
          through.client(authorization=f"Bearer {near[role]}") as live):
        here, there = asker(own), asker(live)
        for tool, arguments in questions(tools, unlisted, here):
            names = TOLD_APART.get(tool, ())
            one, other = (without(ask(tool, arguments), names) for ask in (here, there))
            if other != one:
                differing.append((tool, arguments, *told_apart(one, other)))
            asked.add(tool)
            answered += "success" in one
            urls.add(one.get("data", {}).get("url", ""))
            assert role in GM_SIDE or not tells_hidden(arguments, other), (role, tool, arguments, other)
        for uri in sorted(url for url in urls if url.startswith("lorewell://atlas/")):
            one, other = (request(http, "resources/read", {"uri": uri}) for http in (own, live))
            assert other == one and (role in GM_SIDE or HIDDEN not in str(other)), (role, uri, one, other)
    assert not differing, (role, len(differing), differing[:10])
    assert asked == {tool["name"] for tool in tools} and answered > 200, (asked, answered)


def test_a_copy_keeps_what_is_the_game_masters_for_the_game_master(ends, binary, tmp_path):
    (origin, far), _, tools, unlisted = ends
    copy = Program(binary, tmp_path)
    copy.ok("sync", "world-anvil", env={"WORLD_ANVIL_URL": f"{origin.origin}{BASE}", "WORLD_ANVIL_APP_KEY": "any",
                                        "WORLD_ANVIL_TOKEN": far["owner"]})
    tokens = {role: copy.token(role, role.title()) for role in PEOPLE}
    server = copy.serve()
    for role in PEOPLE:
        with server.client(authorization=f"Bearer {tokens[role]}") as http:
            ask = asker(http)
            answers = [(question, ask(*question)) for question in questions(tools, unlisted, ask)]
        telling = [(question, answer) for question, answer in answers if tells_hidden(question[1], answer)]
        assert bool(telling) == (role in GM_SIDE), (role, telling[:3])
    server.kill()
