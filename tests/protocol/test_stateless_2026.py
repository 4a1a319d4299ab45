"""Revision 2026-07-28 over HTTP: every request stands alone, and the server keeps no session."""

import json

import pytest

from harness.rpc import LEGACY_VERSIONS, MODERN, answer_of, error_of, initialize_params, tool_names
from harness.stage import CHANGES
from harness.web import Modern

WORLDS = "lorewell://worlds"


@pytest.fixture(scope="module")
def modern(web):
    return Modern(web)


def test_discover_tells_versions_and_capabilities(modern):
    """server/discover lists every supported revision, the server's name and its capabilities."""
    found = modern.request("server/discover")
    assert found["supportedVersions"] == [*LEGACY_VERSIONS, MODERN]
    assert {"tools", "resources", "prompts", "completions"} <= set(found["capabilities"])
    assert "lorewell://worlds" in found["instructions"]
    assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "lorewell"


def test_tools_are_listed_with_cache_hints(modern, shared):
    """tools/list needs no session and says how long it may be cached."""
    listed = modern.request("tools/list")
    assert tool_names(listed) == [tool["name"] for tool in shared.program.tools()]
    assert listed["ttlMs"] > 0 and listed["cacheScope"] == "private"


def test_a_tool_is_called(modern):
    """tools/call answers with structured content and the same as text."""
    answer = modern.request(
        "tools/call",
        {
            "name": "duality_outcome",
            "arguments": {"hope": 8, "fear": 5, "modifier": 2, "difficulty": 15},
        },
    )
    assert answer["resultType"] == "complete" and not answer["isError"]
    assert answer["structuredContent"]["outcome"] == "SUCCESS_WITH_HOPE"
    assert json.loads(answer["content"][0]["text"]) == answer["structuredContent"]


def test_resources_and_templates_are_listed(modern):
    """resources/list has the concrete resources, resources/templates/list those with variables."""
    assert WORLDS in [found["uri"] for found in modern.request("resources/list")["resources"]]
    templates = modern.request("resources/templates/list")["resourceTemplates"]
    assert "lorewell://world/{world}" in [found["uriTemplate"] for found in templates]


def test_a_resource_is_read(modern):
    """resources/read returns the document as JSON text."""
    (content,) = modern.request("resources/read", {"uri": WORLDS})["contents"]
    assert content["mimeType"] == "application/json"
    assert [world["name"] for world in json.loads(content["text"])["worlds"]] == ["Main"]


def test_a_missing_resource_is_invalid_params(modern):
    """This revision has no special code for missing resources; the error names the URI."""
    error = error_of(answer_of(modern.post("resources/read", {"uri": "lorewell://nothing"})))
    assert error["code"] == -32602 and error["data"]["uri"] == "lorewell://nothing"


def test_prompts_are_listed_and_opened(modern):
    """prompts/list and prompts/get work."""
    assert "resolve_action" in [
        found["name"] for found in modern.request("prompts/list")["prompts"]
    ]
    opened = modern.request(
        "prompts/get",
        {
            "name": "resolve_action",
            "arguments": {"action": "leap over the chasm"},
        },
    )
    assert "leap over the chasm" in json.dumps(opened["messages"])


def test_a_world_name_is_completed(modern):
    """completion/complete suggests the worlds that begin with the given text."""

    def suggest(typed):
        return modern.request(
            "completion/complete",
            {
                "ref": {"type": "ref/resource", "uri": "lorewell://world/{world}"},
                "argument": {"name": "world", "value": typed},
            },
        )["completion"]["values"]

    assert suggest("ma") == ["Main"] and suggest("x") == []


def test_an_unknown_tool_is_a_protocol_error(modern):
    """An unknown tool name gives invalid params, and the error contains the name."""
    error = error_of(answer_of(modern.post("tools/call", {"name": "rol_dice", "arguments": {}})))
    assert error["code"] == -32602 and "rol_dice" in error["message"]


@pytest.mark.parametrize("method", ["ping", "logging/setLevel", "resources/subscribe", "no/such"])
def test_methods_this_revision_does_not_have_are_refused(modern, method):
    """Removed and unknown methods give 404 with method not found, and the error names the
    method."""
    answer = modern.post(method, {"uri": WORLDS, "level": "info"})
    assert answer.status_code == 404
    error = error_of(answer.json())
    assert error["code"] == -32601 and f'unknown method "{method}"' in error["message"]




@pytest.mark.parametrize("uri", ["campaigns://list", WORLDS])
def test_listen_tells_of_changes(server, program, uri):
    """subscriptions/listen is acknowledged, then reports what another process changed."""
    with server.client() as http:
        with Modern(http).listen({"resourceSubscriptions": [uri]}) as stream:
            accepted = stream.next_named("notifications/subscriptions/acknowledged")["params"]
            assert accepted["notifications"] == {"resourceSubscriptions": [uri]}
            program.ok(*CHANGES[uri])
            update = stream.next_named("notifications/resources/updated")["params"]
            assert update["uri"] == uri
            key = "io.modelcontextprotocol/subscriptionId"
            assert update["_meta"][key] == accepted["_meta"][key]


def test_listen_acknowledges_only_what_there_is(server):
    """URIs that lead to no resource are missing from the acknowledgement."""
    with server.client() as http:
        asked = [WORLDS, "lorewell://wrlds", "no such://thing"]
        with Modern(http).listen({"resourceSubscriptions": asked}) as stream:
            accepted = stream.next_named("notifications/subscriptions/acknowledged")["params"]
            assert accepted["notifications"] == {"resourceSubscriptions": [WORLDS]}


MISMATCHES = {
    "the header names an older revision": {"mcp-protocol-version": "2025-11-25"},
    "the header names another revision": {"mcp-protocol-version": "2027-01-01"},
    "the header is missing": {"mcp-protocol-version": None},
    "the method header is wrong": {"mcp-method": "tools/call"},
    "the method header is missing": {"mcp-method": None},
}


@pytest.mark.parametrize("case", MISMATCHES)
def test_headers_that_contradict_the_body_are_refused(modern, case):
    """If headers and body differ, the answer is 400 with the code for header mismatch."""
    headers, body = modern.prepare("tools/list")
    headers |= MISMATCHES[case]
    headers = {name: value for name, value in headers.items() if value}
    answer = modern.http.post("/mcp", json=body, headers=headers)
    assert answer.status_code == 400
    assert error_of(answer.json())["code"] == -32020 and answer.json()["id"] == body["id"]


def test_the_name_header_must_match(modern):
    """Mcp-Name must be the tool in the body."""
    params = {"name": "roll_dice", "arguments": {"dice": [{"sides": 6, "count": 1}]}}
    headers, body = modern.prepare("tools/call", params)
    answer = modern.http.post("/mcp", json=body, headers=headers | {"mcp-name": "duality_outcome"})
    assert answer.status_code == 400 and error_of(answer.json())["code"] == -32020


def test_an_unsupported_revision_is_told_the_supported_ones(modern):
    """A consistently stated future revision is refused with the list of supported ones."""
    headers, body = modern.prepare("tools/list")
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2099-01-01"
    headers["mcp-protocol-version"] = "2099-01-01"
    answer = modern.http.post("/mcp", json=body, headers=headers)
    error = error_of(answer.json())
    assert answer.status_code == 400 and error["code"] == -32022
    assert MODERN in error["data"]["supported"]


def test_meta_is_required(modern):
    """A request that states the revision in the header only is refused."""
    headers, body = modern.prepare("tools/list")
    del body["params"]["_meta"]
    answer = modern.http.post("/mcp", json=body, headers=headers)
    assert answer.status_code == 400 and error_of(answer.json())["code"] == -32602


@pytest.mark.parametrize("method", ["server/discover", "tools/list", "no/such"])
def test_no_cookie_and_no_session_is_made(server, method):
    """This revision has no sessions: no cookie and no session header are sent."""
    with server.client() as http:
        answer = Modern(http).post(method)
        assert "set-cookie" not in answer.headers and "mcp-session-id" not in answer.headers
        assert not http.cookies


def test_there_is_no_event_stream_to_open(serve):
    """GET with this revision is refused and opens no session."""
    with serve("--max-sessions", "1").client() as http:
        for _ in range(3):
            answer = http.get("/mcp", headers={"mcp-protocol-version": MODERN})
            assert answer.status_code in (405, 406)
            assert "set-cookie" not in answer.headers
            error_of(answer.json())


def test_initialize_opens_no_session(server):
    """initialize is not a method of this revision and cannot be used to open sessions."""
    with server.client() as http:
        answer = Modern(http).post("initialize", initialize_params(MODERN))
        assert answer.status_code == 404
        assert error_of(answer.json())["code"] == -32601
        assert "mcp-session-id" not in answer.headers and not http.cookies


def test_strict_http_serves_this_revision_too(serve):
    """--strict-http only concerns the help for simple clients."""
    with serve("--strict-http").client() as http:
        assert tool_names(Modern(http).request("tools/list"))
