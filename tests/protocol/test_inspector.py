"""The command line of the MCP Inspector works over stdio and HTTP and has nothing to warn about."""

import json
import subprocess

import pytest

LAUNCHER = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"


@pytest.fixture(params=["stdio", "http"])
def inspector(request, shared, node, node_packages):
    """A function that runs the Inspector against the program, over stdio or over HTTP."""
    if request.param == "stdio":
        target = [*shared.program.command("stdio"), "--transport", "stdio"]
    else:
        target = [shared.url, "--transport", "http"]

    def run(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [node, node_packages / LAUNCHER, "--cli", *target, *arguments],
            env=shared.program.environment(),
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


def answer_of(done: subprocess.CompletedProcess) -> dict:
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def test_every_tool_is_listed(inspector, shared):
    """tools/list through the Inspector shows the declared tools."""
    listed = answer_of(inspector("--method", "tools/list"))
    assert [tool["name"] for tool in listed["tools"]] == [t["name"] for t in shared.program.tools()]


def test_every_schema_is_portable(inspector):
    """tools/list --strict exits with 0: every client can read every schema."""
    done = inspector("--method", "tools/list", "--strict")
    assert done.returncode == 0, done.stderr


def test_no_schema_is_doubtful(inspector):
    """tools/list --strict prints no warnings."""
    assert inspector("--method", "tools/list", "--strict").stderr.strip() == ""


def test_a_tool_is_called(inspector):
    """tools/call with arguments from the command line."""
    done = inspector(
        "--method",
        "tools/call",
        "--tool-name",
        "duality_outcome",
        "--tool-arg",
        "hope=8",
        "fear=5",
        "modifier=2",
        "difficulty=15",
    )
    assert answer_of(done)["structuredContent"]["outcome"] == "SUCCESS_WITH_HOPE"


def test_a_prompt_is_opened(inspector):
    """prompts/get with an argument."""
    done = inspector(
        "--method", "prompts/get", "--prompt-name", "resolve_action", "--prompt-args", "action=swim"
    )
    assert "swim" in json.dumps(answer_of(done)["messages"])


def test_a_resource_is_read(inspector):
    """resources/read of the worlds."""
    done = inspector("--method", "resources/read", "--uri", "lorewell://worlds")
    assert "Main" in answer_of(done)["contents"][0]["text"]
