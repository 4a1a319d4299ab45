"""A local web server whose answers are given by a function of the test."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Asked:
    """A request."""

    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Reply:
    """A response."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@contextmanager
def listening(answer: Callable[[Asked], Reply]) -> Iterator[str]:
    """Runs a server and yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self):
            length = int(self.headers.get("content-length", 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            reply = answer(Asked(self.path, headers, self.rfile.read(length)))
            try:
                self.say(reply)
            except ConnectionError:
                pass  # The client did not wait for the answer.

        def say(self, reply: Reply):
            self.send_response(reply.status)
            for name, value in {**reply.headers, "content-length": str(len(reply.body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(reply.body)

        do_GET = answer
        do_POST = answer

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_address[1]}"
        server.shutdown()
