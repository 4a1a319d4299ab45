"""JSON-RPC messages of all MCP revisions, with and without sessions, and checks on answers."""

import json

LEGACY_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]
MODERN = "2026-07-28"
CLIENT = {"name": "protocol-tests", "version": "1.0.0"}
META = "io.modelcontextprotocol/"


def message(method: str, params: dict | None = None, id=1) -> dict:
    """Returns a request, or a notification if `id` is None."""
    body = {"jsonrpc": "2.0", "method": method}
    if id is not None:
        body["id"] = id
    if params is not None:
        body["params"] = params
    return body


def initialize_params(version: str) -> dict:
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT}


def modern_meta(version: str = MODERN) -> dict:
    """Returns the `_meta` with which every request of the stateless revision describes its
    sender."""
    return {
        f"{META}protocolVersion": version,
        f"{META}clientInfo": CLIENT,
        f"{META}clientCapabilities": {},
    }


def result_of(answer: dict) -> dict:
    """Returns the result of an answer that must have one."""
    assert answer.get("jsonrpc") == "2.0" and "result" in answer, answer
    return answer["result"]


def error_of(answer: dict) -> dict:
    """Returns the error of an answer that must have one, and checks that it is well formed."""
    assert answer.get("jsonrpc") == "2.0" and "result" not in answer, answer
    error = answer["error"]
    assert isinstance(error["code"], int) and error["message"], answer
    assert answer.get("id", "") is not None, f"MCP has no null ids: {answer}"
    return error


def messages_of(response) -> list[dict]:
    """Returns the messages of an HTTP response, which may be JSON or an event stream."""
    if response.headers["content-type"].startswith("text/event-stream"):
        data = [line[5:].strip() for line in response.text.splitlines() if line[:5] == "data:"]
        return [json.loads(text) for text in data if text]
    return [response.json()]


def answer_of(response) -> dict:
    """Returns the single answer in an HTTP response."""
    answers = [found for found in messages_of(response) if "method" not in found]
    assert len(answers) == 1, response.text
    return answers[0]


def tool_names(result: dict) -> list[str]:
    return [tool["name"] for tool in result["tools"]]
