"""An embedding service on this machine that knows what a few made-up words mean."""

import json
import threading
from contextlib import contextmanager

from harness.listener import Asked, Reply, listening

MEANINGS = {"zyx": 0, "plok": 1, "water": 1, "grump": 2}
"""Words and the direction each points to; what shares a direction means the same."""


class Service:
    """What the service was asked, and how it behaves."""

    def __init__(self):
        self.asked: list[str] = []
        self.keys: set[str | None] = set()
        self.status = 200
        self.url = ""
        self.pause_at: int | None = None
        """After how many texts of those to be kept it lets requests wait."""
        self.waiting: list[str] = []
        self.refuses = ""
        """Texts with this in them are not taken, nor anything sent with them."""
        self._hung_up = threading.Event()

    def vector(self, text: str) -> list[float]:
        vector = [0.01, 0.01, 0.01, 0.01]
        for word in text.lower().replace(".", " ").split():
            vector[MEANINGS.get(word, 3)] += 1.0
        return vector

    def hang_up(self) -> None:
        """Leaves the requests that wait without an answer: who sent them is gone."""
        waiting, self._hung_up = self._hung_up, threading.Event()
        waiting.set()

    def takes(self, texts: list[str]) -> bool:
        """Whether it answers these. Questions never wait."""
        if any(self.refuses and self.refuses in text for text in texts):
            return False
        if not texts[0].endswith("?") and self.is_paused():
            self.waiting += texts
            self._hung_up.wait()
            return False
        self.asked += texts
        return True

    def kept(self) -> list[str]:
        """The texts it answered for, without questions."""
        return [text for text in self.asked if not text.endswith("?")]

    def is_paused(self) -> bool:
        return self.pause_at is not None and len(self.kept()) >= self.pause_at

    def answer(self, body: dict) -> dict:
        texts = body["input"]
        data = [{"index": i, "embedding": self.vector(text)} for i, text in enumerate(texts)]
        return {"object": "list", "data": data[::-1], "model": body["model"]}


@contextmanager
def embedding_service():
    """The service, listening."""
    service = Service()

    def answer(asked: Asked) -> Reply:
        service.keys.add(asked.headers.get("authorization"))
        if asked.path != "/v1/embeddings" or service.status != 200:
            return Reply(service.status, b"<html>no</html>")
        body = json.loads(asked.body)
        if not service.takes(body["input"]):
            return Reply(400, b'{"error": "input is too long"}')
        return Reply(body=json.dumps(service.answer(body)).encode())

    with listening(answer) as address:
        service.url = f"http://{address}/v1"
        yield service
        service.hang_up()
