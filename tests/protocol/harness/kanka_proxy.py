"""A proxy to a Kanka API that injects faults and records what passes."""

import http.client
import re
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

JSON = "application/json"


class Proxy:
    """What passed through the proxy, and the faults to inject."""

    def __init__(self, port: int):
        self.upstream = port
        self.asked: list[str] = []
        self.statuses: list[int] = []
        self.tokens: set[str | None] = set()
        self.heads: list[dict[str, str]] = []
        """The headers of requests, with names in lower case."""
        self.faults: list[tuple[re.Pattern, str | tuple, int]] = []
        self.events: list[tuple[re.Pattern, Callable[[], object]]] = []
        self.lock = threading.Lock()
        self.url = ""
        self.sent: list[bytes] = []
        """The bodies of requests other than GET."""
        self.whole_seconds = False
        """Whether the microseconds of timestamps in answers are set to zero, as Kanka itself
        does."""

    def fail(self, fault: str | tuple, where: str = ".*", times: int = 1_000_000) -> None:
        """Injects a fault into the next requests whose method and path match `where`. A fault is a
        name or a tuple of status, headers and body."""
        self.faults.append((re.compile(where), fault, times))

    def meanwhile(self, where: str, happens: Callable[[], object]) -> None:
        """Calls `happens` once, just before a request whose method and path match is passed on."""
        self.events.append((re.compile(where), happens))

    def happen(self, request: str) -> None:
        with self.lock:
            due = [event for event in self.events if event[0].search(request)]
            self.events = [event for event in self.events if event not in due]
        for _, happens in due:
            happens()

    def mend(self) -> None:
        self.faults.clear()

    def fault_for(self, request: str) -> str | tuple | None:
        with self.lock:
            self.asked.append(request)
            for at, (pattern, fault, times) in enumerate(self.faults):
                if times > 0 and pattern.search(request):
                    self.faults[at] = (pattern, fault, times - 1)
                    return fault
        return None

    @contextmanager
    def counted(self):
        """Collects the requests that arrive inside the `with` block. The list is filled when the
        block ends."""
        start = len(self.asked)
        seen: list[str] = []
        yield seen
        seen += self.asked[start:]

    @contextmanager
    def bodies(self):
        """Collects the bodies of requests other than GET that arrive inside the `with` block. The
        list is filled when the block ends."""
        start = len(self.sent)
        seen: list[bytes] = []
        yield seen
        seen += self.sent[start:]


def refusal(fault: str | tuple) -> tuple[int, dict[str, str], bytes]:
    """Returns the status, headers and body of a fault that is an answer."""
    if isinstance(fault, tuple):
        return fault
    html = b"<!doctype html><html><body>Maintenance</body></html>"
    return {
        "401": (401, {}, b'{"code": 401, "error": "Invalid authentication token."}'),
        "401 old": (401, {}, b'{"message": "Unauthenticated."}'),
        "401 told": (401, {}, b'{"code": 401, "error": "Invalid token TOKEN."}'),
        "403": (403, {}, b'{"code": 403, "error": "This action is unauthorized."}'),
        "404": (404, {}, b'{"error": "Page not found"}'),
        "404 html": (404, {"content-type": "text/html"}, html),
        "422": (422, {}, b'{"code": 422, "error": "Bad", "fields": {"name": ["Canary is taken."]}}'),
        "422 old": (422, {}, b'{"message": "Bad", "errors": {"name": ["Canary is taken."]}}'),
        "429": (429, {}, b'["Your account limit of 30 requests per minute has been reached."]'),
        "429 after": (429, {"retry-after": "1"}, b'["Too many."]'),
        "429 long": (429, {"retry-after": "50"}, b'["Too many."]'),
        "500": (500, {}, b'{"code": 500, "error": "Server error", "hint": "x", "trace": []}'),
        "503 html": (503, {"content-type": "text/html"}, html),
        "html": (200, {"content-type": "text/html"}, html),
        "nonsense": (200, {}, b'{"data": "nothing"}'),
        "200 empty": (200, {}, b""),
    }[fault]


@contextmanager
def kanka_proxy(port: int):
    """Runs a proxy to the server on a port."""
    proxy = Proxy(port)

    class Handler(BaseHTTPRequestHandler):
        def handle_one(self):
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            proxy.tokens.add(self.headers.get("authorization"))
            proxy.heads.append({name.lower(): value for name, value in self.headers.items()})
            if self.command != "GET":
                proxy.sent.append(body)
            proxy.happen(f"{self.command} {self.path}")
            fault = proxy.fault_for(f"{self.command} {self.path}")
            if fault == "cut":
                self.close_connection = True
                self.connection.close()
                return
            if fault == "slow":
                time.sleep(3)
            if fault in ("late cut", "truncated", "slow") or fault is None:
                self.forward(body, fault)
            else:
                status, headers, content = refusal(fault)
                if fault == "401 told":
                    content = content.replace(b"TOKEN", self.headers["authorization"].split()[1].encode())
                self.answer(status, {"content-type": JSON, **headers}, content)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_one

        def forward(self, body: bytes, fault: str | None):
            upstream = http.client.HTTPConnection("127.0.0.1", proxy.upstream, timeout=30)
            headers = {k: v for k, v in self.headers.items() if k.lower() not in ("connection", "host")}
            headers["Host"] = f"127.0.0.1:{proxy.upstream}"
            try:
                upstream.request(self.command, self.path, body, headers)
                answer = upstream.getresponse()
                content = answer.read()
                if proxy.whole_seconds:
                    content = re.sub(rb"\.\d{6}Z", b".000000Z", content)
            except OSError:
                fault = "late cut"
            finally:
                upstream.close()
            if fault == "late cut":
                self.close_connection = True
                self.connection.close()
                return
            kept = {
                name: value for name, value in answer.getheaders()
                if name.lower() in ("content-type", "retry-after") or name.lower().startswith("x-ratelimit")
            }
            self.answer(answer.status, kept, content, cut=fault == "truncated")

        def answer(self, status: int, headers: dict, content: bytes, cut: bool = False):
            proxy.statuses.append(status)
            try:
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content[: len(content) // 2] if cut else content)
                if cut:
                    self.wfile.flush()
                    self.close_connection = True
                    self.connection.close()
            except OSError:
                self.close_connection = True

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        proxy.url = f"http://127.0.0.1:{server.server_address[1]}/compat/kanka/1.0"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield proxy
        server.shutdown()
