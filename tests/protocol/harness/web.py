"""MCP clients on plain HTTP: for sessions, by header or by cookie, and for the stateless
revision."""

import contextlib
import http.client
import itertools
import json

import httpx2

from harness.rpc import MODERN, answer_of, initialize_params, message, modern_meta, result_of

BOTH = "application/json, text/event-stream"


class Session:
    """A client of a revision with sessions, which it names by `Mcp-Session-Id`."""

    def __init__(self, http: httpx2.Client, version: str = "2025-11-25", path: str = "/mcp"):
        self.http = http
        self.path = path
        self.version = version
        self.headers = {"accept": BOTH}
        self._ids = itertools.count(1)

    def open(self) -> "Session":
        """Initializes the session."""
        answer = self.post(message("initialize", initialize_params(self.version), id=0))
        assert answer.status_code == 200, answer.text
        self.opened = result_of(answer_of(answer))
        self.id = answer.headers["mcp-session-id"]
        self.headers |= {"mcp-session-id": self.id, "mcp-protocol-version": self.version}
        accepted = self.post(message("notifications/initialized", id=None))
        assert accepted.status_code == 202, accepted.text
        return self

    def post(self, body: dict) -> httpx2.Response:
        return self.http.post(self.path, json=body, headers=self.headers)

    def ask(self, method: str, params: dict | None = None) -> dict:
        """Sends a request and returns the whole answer."""
        return answer_of(self.post(message(method, params, next(self._ids))))

    def request(self, method: str, params: dict | None = None) -> dict:
        """Sends a request that must succeed and returns its result."""
        return result_of(self.ask(method, params))

    def call(self, tool: str, arguments: dict) -> dict:
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def end(self) -> httpx2.Response:
        """Ends the session with DELETE."""
        return self.http.delete(self.path, headers=self.headers)

    def stream(self, silence: float = 30):
        """Opens the event stream of the session."""
        return event_stream(self.http, "GET", self.path, silence, headers=self.headers)


class Cookies:
    """A client that identifies its session by the cookie alone."""

    def __init__(self, http: httpx2.Client):
        self.http = http

    def ask(self, method: str, params: dict | None = None) -> dict:
        return self.http.post("/mcp", json=message(method, params)).json()


class Wire:
    """A bare connection with the headers of a session, for thousands of requests of which only the
    text of the answer matters."""

    def __init__(self, session: Session, patience: float = 30):
        known = session.http
        self._connection = http.client.HTTPConnection(known.base_url.host, known.base_url.port, timeout=patience)
        self._path = session.path
        kept = {name: known.headers[name] for name in ("authorization",) if name in known.headers}
        self._headers = {**kept, **session.headers, "content-type": "application/json"}

    def __enter__(self) -> "Wire":
        return self

    def __exit__(self, *_) -> None:
        self._connection.close()

    def post(self, body: dict) -> str:
        """Sends a message and returns the text of the response."""
        return self.ask("POST", self._path, json.dumps(body))[1]

    def ask(self, verb: str, path: str, body: str) -> tuple[int, str]:
        """Sends any request and returns the status and the text of the response."""
        self._connection.request(verb, path, body.encode() if verb == "POST" else None, self._headers)
        answer = self._connection.getresponse()
        return answer.status, answer.read().decode()


class Modern:
    """A client of revision 2026-07-28, which has no sessions."""

    NAMED = {
        "tools/call": "name",
        "prompts/get": "name",
        "resources/read": "uri",
        "resources/subscribe": "uri",
    }

    def __init__(self, http: httpx2.Client, path: str = "/mcp"):
        self.http = http
        self.path = path
        self._ids = itertools.count(1)

    def prepare(self, method: str, params: dict | None = None) -> tuple[dict, dict]:
        """Returns the headers and the body of a request, which a test may tamper with before
        sending."""
        params = {**(params or {}), "_meta": modern_meta()}
        headers = {"accept": BOTH, "mcp-protocol-version": MODERN, "mcp-method": method}
        if method in self.NAMED:
            headers["mcp-name"] = params[self.NAMED[method]]
        return headers, message(method, params, next(self._ids))

    def post(self, method: str, params: dict | None = None) -> httpx2.Response:
        headers, body = self.prepare(method, params)
        return self.http.post(self.path, json=body, headers=headers)

    def request(self, method: str, params: dict | None = None) -> dict:
        """Sends a request that must succeed and returns its result."""
        answer = self.post(method, params)
        assert answer.status_code == 200, answer.text
        return result_of(answer_of(answer))

    def listen(self, wanted: dict, silence: float = 30):
        """Opens the event stream of `subscriptions/listen`."""
        headers, body = self.prepare("subscriptions/listen", {"notifications": wanted})
        return event_stream(self.http, "POST", self.path, silence, headers=headers, json=body)


class EventStream:
    """An open event stream."""

    def __init__(self, response: httpx2.Response):
        self.response = response
        self._lines = response.iter_lines()
        self.heard: list[str] = []
        """Every line so far."""

    def next(self) -> dict:
        """Returns the next message. Fails if nothing arrives for as long as the `silence` of the
        stream."""
        for line in self._lines:
            self.heard.append(line)
            data = line.removeprefix("data:").strip()
            if line.startswith("data:") and data:
                return json.loads(data)
        raise AssertionError("the stream ended")

    def next_named(self, method: str) -> dict:
        """Returns the next notification with this method."""
        while True:
            found = self.next()
            if found.get("method") == method:
                return found


@contextlib.contextmanager
def event_stream(http: httpx2.Client, verb: str, path: str, silence: float, **options):
    """Opens an event stream; fails if the response is not one."""
    timeout = httpx2.Timeout(30, read=silence)
    with http.stream(verb, path, timeout=timeout, **options) as response:
        kind = response.headers.get("content-type", "")
        if not kind.startswith("text/event-stream"):
            response.read()
            raise AssertionError(f"{response.status_code} {kind}: {response.text}")
        yield EventStream(response)
