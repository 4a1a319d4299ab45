"""An embedding service on this machine that knows what a few made-up words mean."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MEANINGS = {"zyx": 0, "plok": 1, "water": 1, "grump": 2}
"""Words and the direction each points to; what shares a direction means the same."""


class Service:
    """What the service was asked, and how it behaves."""

    def __init__(self):
        self.asked: list[str] = []
        self.keys: set[str | None] = set()
        self.status = 200
        self.url = ""

    def vector(self, text: str) -> list[float]:
        vector = [0.01, 0.01, 0.01, 0.01]
        for word in text.lower().replace(".", " ").split():
            vector[MEANINGS.get(word, 3)] += 1.0
        return vector

    def answer(self, body: dict) -> dict:
        texts = body["input"]
        self.asked += texts
        data = [{"index": i, "embedding": self.vector(text)} for i, text in enumerate(texts)]
        return {"object": "list", "data": data[::-1], "model": body["model"]}


@contextmanager
def embedding_service():
    """The service, listening."""
    service = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            service.keys.add(self.headers.get("authorization"))
            content = b"<html>no</html>"
            if self.path == "/v1/embeddings" and service.status == 200:
                content = json.dumps(service.answer(body)).encode()
            self.send_response(service.status)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        service.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield service
        server.shutdown()
