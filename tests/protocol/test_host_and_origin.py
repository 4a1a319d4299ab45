"""Only requests for the server's own names are answered, on every route."""

import json
import subprocess

import pytest

from harness.program import Program
from harness.raw import exchange, request
from harness.rpc import MODERN, message, modern_meta

ALLOWED_HOSTS = (
    "localhost:{port}",
    "localhost",
    "LocalHost:{port}",
    "127.0.0.1:{port}",
    "127.0.0.1",
    "[::1]:{port}",
    "[::1]",
    "lore.example",
    "Lore.Example:443",
)
FOREIGN_HOSTS = (
    "evil.example",
    "evil.example:{port}",
    "localhost.evil.example",
    "127.0.0.1.evil.example:{port}",
    "lore.example.evil",
    "127.0.0.2",
    "0.0.0.0:{port}",
    "2130706433",
    "[::2]:{port}",
    "localhost:{port}@evil.example",
    "localhost:evil.example",
    "[::1]evil.example",
    "",
)
ALLOWED_ORIGINS = (
    None,
    "http://localhost:{port}",
    "http://localhost:6274",
    "http://127.0.0.1:{port}",
    "https://localhost",
    "http://[::1]:3000",
    "https://app.example",
)
FOREIGN_ORIGINS = (
    "null",
    "http://evil.example",
    "http://evil.example:{port}",
    "http://localhost.evil.example",
    "http://localhost:{port}@evil.example",
    "http://127.0.0.1.evil.example",
    "http://lore.example",
    "https://app.example.evil",
    "http://app.example",
    "https://app.example:8443",
    "file://",
    "localhost",
    "",
)

DISCOVER = json.dumps(message("server/discover", {"_meta": modern_meta()})).encode()
MESSAGE = [
    ("Content-Type", "application/json"),
    ("Accept", "application/json, text/event-stream"),
    ("MCP-Protocol-Version", MODERN),
    ("Mcp-Method", "server/discover"),
]
NO_SESSION = [("Accept", "text/event-stream"), ("Mcp-Session-Id", "nobody's")]

# Every route, with its answer when it is reached.
ROUTES = {
    "POST /mcp": (MESSAGE, DISCOVER, 200),
    "GET /mcp": (NO_SESSION, b"", 404),
    "DELETE /mcp": (NO_SESSION, b"", 404),
    "OPTIONS /mcp": ([], b"", 405),
    "POST /mcp/readonly": (MESSAGE, DISCOVER, 200),
    "POST /mcp/x/play": (MESSAGE, DISCOVER, 200),
    "POST /mcp/x/play/readonly": (MESSAGE, DISCOVER, 200),
    "GET /mcp/health": ([], b"", 200),
    "GET /nope": ([], b"", 404),
}


TOKEN: list[str] = []
"""The server's token; a host name other than this machine's needs one."""


@pytest.fixture(scope="module")
def port(binary, tmp_path_factory):
    """A server that allows one more host and one more origin."""
    program = Program(binary, tmp_path_factory.mktemp("hosts"))
    TOKEN.append(program.ok("token", "create", "--role", "owner", "--name", "tester").strip())
    server = program.serve("--allow-host", "lore.example", "--allow-origin", "https://app.example")
    yield server.port
    server.kill()


def authorized() -> list[tuple[str, str]]:
    return [("Authorization", f"Bearer {TOKEN[-1]}")]


def ask(port, route, host, origin):
    """Sends the request of a route with this Host and Origin."""
    method, target = route.split()
    headers, body, _ = ROUTES[route]
    names = [("Host", host.format(port=port)), *authorized()]
    if origin is not None:
        names.append(("Origin", origin.format(port=port)))
    return exchange(
        port, request(method, target, [*names, ("Connection", "close"), *headers], body)
    )


def test_the_matrix_is_large_enough():
    """At least 1,600 combinations are tried."""
    hosts, origins = ALLOWED_HOSTS + FOREIGN_HOSTS, ALLOWED_ORIGINS + FOREIGN_ORIGINS
    assert len(hosts) >= 10 and len(origins) >= 8
    assert len(hosts) * len(origins) * len(ROUTES) >= 1_600


@pytest.mark.parametrize("route", ROUTES)
def test_only_the_allowed_cells_answer(port, route):
    """Every Host with every Origin: the allowed pairs reach the route, all others get 403."""
    wrong = []
    for host in ALLOWED_HOSTS + FOREIGN_HOSTS:
        for origin in ALLOWED_ORIGINS + FOREIGN_ORIGINS:
            allowed = host in ALLOWED_HOSTS and origin in ALLOWED_ORIGINS
            expected = ROUTES[route][2] if allowed else 403
            answer = ask(port, route, host, origin)
            if answer is None or answer.status != expected:
                wrong.append((host, origin, expected, answer and answer.status))
    assert wrong == []


@pytest.mark.parametrize("route", ROUTES)
def test_a_missing_host_is_refused(port, route):
    """HTTP/1.1 and HTTP/1.0 requests without Host."""
    method, target = route.split()
    headers, body, _ = ROUTES[route]
    data = request(method, target, [("Connection", "close"), *headers], body)
    for version in (b"HTTP/1.1", b"HTTP/1.0"):
        answer = exchange(port, data.replace(b"HTTP/1.1", version, 1))
        assert answer.status in (400, 403)


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "hosts",
    [
        ("localhost", "evil.example"),
        ("evil.example", "localhost"),
        ("localhost", "localhost"),
    ],
)
def test_a_second_host_is_refused(port, route, hosts):
    """Two Host headers are refused, whichever comes first."""
    method, target = route.split()
    headers, body, _ = ROUTES[route]
    named = [("Host", host) for host in hosts]
    data = request(method, target, [*named, ("Connection", "close"), *headers], body)
    assert exchange(port, data).status in (400, 403)


def test_a_second_origin_is_refused(port):
    """Two Origin headers are refused even if one of them is allowed."""
    origins = [("Origin", "http://localhost"), ("Origin", "http://evil.example")]
    data = request("GET", "/mcp/health", [("Host", "localhost"), *origins, ("Connection", "close")])
    assert exchange(port, data).status == 403


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "target_host", ["evil.example", "user@localhost", "localhost.evil.example"]
)
def test_an_absolute_target_with_a_foreign_host_is_refused(port, route, target_host):
    """`POST http://evil.example/mcp`: the target counts as well as the Host header."""
    method, target = route.split()
    headers, body, _ = ROUTES[route]
    for host in ("localhost", "evil.example"):
        named = [("Host", host), ("Connection", "close"), *headers]
        data = request(method, f"http://{target_host}{target}", named, body)
        assert exchange(port, data).status in (400, 403)


def test_an_absolute_target_with_our_host_is_answered(port):
    """The same form with the server's own name is accepted, as it comes from a local proxy."""
    named = [("Host", f"localhost:{port}"), ("Connection", "close")]
    data = request("GET", f"http://localhost:{port}/mcp/health", named)
    assert exchange(port, data).status == 200


@pytest.mark.parametrize(("host", "expected"), [("localhost", 200), ("evil.example", 403)])
def test_http2_follows_the_same_rule(port, host, expected):
    """HTTP/2 has no Host header; its authority is checked."""
    done = subprocess.run(
        [
            "curl",
            "-sS",
            "-o",
            "/dev/null",
            "-w",
            "%{http_code} %{http_version}",
            "--http2-prior-knowledge",
            "-H",
            f"Host: {host}",
            f"http://127.0.0.1:{port}/mcp/health",
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == f"{expected} 2", done.stderr


def test_a_refusal_says_what_to_do(port):
    """The 403 is JSON, names the flag that would allow the host, and has no CORS header."""
    answer = ask(port, "POST /mcp", "evil.example", None)
    error = answer.json()["error"]
    assert error["code"] == "PERMISSION_DENIED" and "--allow-host" in error["hint"]
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_configured_page_may_read_the_answers(port):
    """The browser's preflight request is told what the page may send, and the page can read every
    answer, refusals included."""
    named = [("Host", "localhost"), ("Origin", "https://app.example")]
    asks = [*named, ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "authorization,mcp-session-id")]
    told = exchange(port, request("OPTIONS", "/mcp", asks)).headers
    assert told["access-control-allow-origin"] == "https://app.example"
    assert "POST" in told["access-control-allow-methods"]
    assert {"Authorization", "Mcp-Session-Id"} <= set(told["access-control-allow-headers"].split(", "))
    for route in ROUTES:
        answer = ask(port, route, "localhost", "https://app.example")
        assert answer.headers["access-control-allow-origin"] == "https://app.example", route
        assert answer.headers["vary"] == "Origin", route


@pytest.mark.parametrize("name", ["--allow-origin=*", "--allow-origin=app.example", "--allow-host="])
def test_names_that_cannot_be_meant_are_refused(program, name):
    refused = program.run("serve", "--http-addr", "127.0.0.1:0", name)
    assert refused.returncode == 1 and "to allow" in refused.stderr and refused.stdout == ""


def test_no_answer_allows_other_origins_to_read_it(port):
    """An origin that nobody configured gets no CORS header."""
    for route in ROUTES:
        answer = ask(port, route, "localhost", "http://localhost:6274")
        assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    "kind",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "text/plain",
        None,
    ],
)
def test_what_a_web_form_can_send_has_no_effect(port, kind):
    """A message in a content type that needs no preflight request is refused."""
    headers = [("Host", "localhost"), ("Connection", "close"), *authorized()]
    if kind:
        headers.append(("Content-Type", kind))
    body = json.dumps(message("tools/list", {})).encode()
    answer = exchange(port, request("POST", "/mcp", headers, body))
    assert answer.status == 415
