"""The four curl commands of the Duality contract work as printed there."""

import json
import subprocess
from http.cookies import SimpleCookie

import pytest

from harness.rpc import result_of, tool_names

# The contract's text, verbatim. When a test runs a command, only the port and the path of the
# cookie file are replaced.
INITIALIZE = r"""
curl -sS -c /tmp/mcp-cookies.txt -X POST http://localhost:8081/mcp \
  -H "Content-Type: application/json" \
  -d '{
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
      "protocolVersion": "2024-11-05",
      "clientInfo": {
        "name": "test-client",
        "version": "0.1.0"
      }
    }
  }'
"""

INITIALIZED = r"""
curl -sS -b /tmp/mcp-cookies.txt -X POST http://localhost:8081/mcp \
  -H "Content-Type: application/json" \
  -d '{
    "jsonrpc": "2.0",
    "method": "initialized",
    "params": {}
  }'
"""

LIST_TOOLS = r"""
curl -sS -b /tmp/mcp-cookies.txt -X POST http://localhost:8081/mcp \
  -H "Content-Type: application/json" \
  -d '{
    "jsonrpc": "2.0",
    "id": 2,
    "method": "tools/list",
    "params": {}
  }'
"""

HEALTH = r"""
curl http://localhost:8081/mcp/health
"""

# The tools that the contract describes; more may be listed.
CONTRACT = (
    "set_context",
    "campaign_create",
    "participant_create",
    "character_create",
    "character_control_set",
    "character_sheet_get",
    "character_profile_patch",
    "character_state_patch",
    "session_start",
    "session_end",
    "session_action_roll",
    "session_roll_outcome_apply",
    "duality_rules_version",
    "duality_action_roll",
    "duality_outcome",
    "duality_explain",
    "duality_probability",
    "roll_dice",
)


class Shell:
    """Runs the contract's commands and keeps the status and headers of the responses."""

    def __init__(self, server, home):
        self.server = server
        self.home = home
        self.cookies = home / "mcp-cookies.txt"

    def __call__(self, command: str) -> str:
        command = command.replace("localhost:8081", f"localhost:{self.server.port}")
        command = command.replace("/tmp/mcp-cookies.txt", str(self.cookies))
        # curl's configuration file makes it write the headers to a file, so the command can stay as
        # it is.
        head = self.home / "head.txt"
        (self.home / ".curlrc").write_text(f'dump-header = "{head}"\n')
        done = subprocess.run(
            ["sh", "-c", command],
            env=self.server.program.environment(),
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        status, *lines = head.read_text().strip().splitlines()
        self.status = int(status.split()[1])
        pairs = (line.split(":", 1) for line in lines)
        self.headers = {name.strip().lower(): value.strip() for name, value in pairs}
        return done.stdout


@pytest.fixture
def shell(server, tmp_path):
    return Shell(server, tmp_path)


def test_the_whole_sequence_in_order(shell, program):
    """All four commands succeed in order, with plain JSON answers."""
    opened = result_of(json.loads(shell(INITIALIZE)))
    assert (shell.status, shell.headers["content-type"]) == (200, "application/json")
    assert opened["protocolVersion"] == "2024-11-05"
    assert opened["serverInfo"]["name"] == "lorewell"

    assert shell(INITIALIZED) == ""
    assert shell.status == 202

    listed = result_of(json.loads(shell(LIST_TOOLS)))
    assert (shell.status, shell.headers["content-type"]) == (200, "application/json")
    assert tool_names(listed) == [tool["name"] for tool in program.tools()]
    assert set(CONTRACT) <= set(tool_names(listed))

    assert shell(HEALTH).strip() == "OK"
    assert shell.status == 200


def test_the_cookie_has_the_attributes_the_contract_names(shell):
    """mcp_session is HttpOnly, SameSite=Strict and valid for every path."""
    shell(INITIALIZE)
    cookie = SimpleCookie(shell.headers["set-cookie"])["mcp_session"]
    assert cookie["httponly"] is True
    assert cookie["samesite"] == "Strict"
    assert cookie["path"] == "/"
    assert cookie["domain"] == "", "it belongs to this host alone"
    assert len(cookie.value) >= 32


def test_curl_stores_the_cookie_and_no_second_one_is_set(shell):
    """The session of the first command is the one the later commands use."""
    shell(INITIALIZE)
    stored = shell.cookies.read_text()
    assert shell.headers["mcp-session-id"] in stored and "#HttpOnly_localhost" in stored
    shell(INITIALIZED)
    assert "set-cookie" not in shell.headers
    shell(LIST_TOOLS)
    assert "set-cookie" not in shell.headers


def test_a_first_request_of_any_kind_gets_a_cookie(shell):
    """`tools/list` without `initialize` opens a session by itself."""
    shell.cookies.write_text("")
    listed = result_of(json.loads(shell(LIST_TOOLS)))
    assert shell.status == 200 and set(CONTRACT) <= set(tool_names(listed))
    assert "mcp_session=" in shell.headers["set-cookie"]


def test_health_sets_the_cookie_too(shell):
    """The first response of any endpoint sets the cookie, health included."""
    shell(HEALTH)
    assert "mcp_session=" in shell.headers["set-cookie"]
