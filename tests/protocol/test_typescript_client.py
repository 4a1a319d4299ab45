"""The 1.x line of the TypeScript SDK, which validates every structured answer against the listed
schema: good answers pass, and error messages arrive, over stdio and HTTP."""

import json
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "harness" / "sdk_client.cjs"
GOOD = {"name": "roll_dice", "arguments": {"dice": [{"sides": 6, "count": 1}]}}


@pytest.fixture(params=["stdio", "http"])
def calls(request, shared, node, node_packages):
    """A function that makes calls through the SDK and returns the listed tools and the answers."""
    way = request.param
    target = shared.program.command("stdio") if way == "stdio" else [shared.url]

    def run(*calls: dict) -> tuple[list[str], list[dict]]:
        done = subprocess.run(
            [node, SCRIPT, node_packages, way, *target],
            env=shared.program.environment(),
            input=json.dumps(calls),
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        return told["tools"], told["answers"]

    return run


def test_a_good_answer_passes_the_schema(calls, shared):
    """Every tool is listed, and an answer is structured."""
    listed, [answer] = calls(GOOD)
    assert listed == [tool["name"] for tool in shared.program.tools()]
    assert answer["structuredContent"]["total"] >= 1


def test_the_message_of_a_failure_arrives(calls):
    """For wrong arguments, the tool's own message arrives, not a complaint about its schema."""
    _, [answer] = calls({"name": "roll_dice", "arguments": {"dice": [{"sides": 0, "count": 1}]}})
    assert answer.get("isError") is True, answer
    assert "sides" in answer["content"][0]["text"]
    assert answer["structuredContent"]["code"] and answer["structuredContent"]["hint"]


def test_every_tool_fails_readably(calls, shared):
    """No schema hides a tool's error message."""
    names = [tool["name"] for tool in shared.program.tools()]
    _, answers = calls(*({"name": name, "arguments": {"nobody_declared": 1}} for name in names))
    for name, answer in zip(names, answers, strict=True):
        assert "nobody_declared" in answer["content"][0]["text"], (name, answer)
