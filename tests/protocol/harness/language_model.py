"""A language model on this machine that says what a test puts into its mouth."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Speaker:
    """What the model was asked, and what it says."""

    def __init__(self):
        self.asked: list[dict] = []
        self.keys: set[str | None] = set()
        self.says = "{}"
        self.status = 200
        self.knows_schemas = True
        self.url = ""

    def respond(self, body: dict) -> tuple[int, dict]:
        self.asked.append(body)
        if body["response_format"]["type"] == "json_schema" and not self.knows_schemas:
            return 400, {"error": {"message": "response_format is not supported"}}
        return self.status, {"choices": [{"message": {"role": "assistant", "content": self.says}}]}


@contextmanager
def language_model():
    """The model, listening."""
    speaker = Speaker()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            speaker.keys.add(self.headers.get("authorization"))
            status, answer = speaker.respond(body)
            content = json.dumps(answer).encode()
            self.send_response(status if self.path == "/v1/chat/completions" else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        speaker.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield speaker
        server.shutdown()
