"""A local embedding service that knows the meaning of a few made-up words."""

import json
import threading
from contextlib import contextmanager

from harness.listener import Asked, Reply, listening

MEANINGS = {"zyx": 0, "plok": 1, "water": 1, "grump": 2}
"""Maps words to the dimension of their vector; words that share a dimension mean the same."""


class Service:
    """What the service was asked, and how it behaves."""

    def __init__(self):
        self.asked: list[str] = []
        self.keys: set[str | None] = set()
        self.status = 200
        self.url = ""
        self.pause_at: int | None = None
        """The number of stored texts after which requests are held back; None holds none back."""
        self.waiting: list[str] = []
        self.refuses = ""
        """A request is refused if one of its texts contains this string."""
        self._hung_up = threading.Event()

    def vector(self, text: str) -> list[float]:
        vector = [0.01, 0.01, 0.01, 0.01]
        for word in text.lower().replace(".", " ").split():
            vector[MEANINGS.get(word, 3)] += 1.0
        return vector

    def hang_up(self) -> None:
        """Releases the requests that are held back, without embeddings: their senders are gone."""
        waiting, self._hung_up = self._hung_up, threading.Event()
        waiting.set()

    def takes(self, texts: list[str]) -> bool:
        """Whether the service answers a request for these texts. Blocks while the service is
        paused. Texts that end in a question mark are queries, which are never held back."""
        if any(self.refuses and self.refuses in text for text in texts):
            return False
        if not texts[0].endswith("?") and self.is_paused():
            self.waiting += texts
            self._hung_up.wait()
            return False
        self.asked += texts
        return True

    def kept(self) -> list[str]:
        """Returns the texts it answered for, without queries."""
        return [text for text in self.asked if not text.endswith("?")]

    def is_paused(self) -> bool:
        return self.pause_at is not None and len(self.kept()) >= self.pause_at

    def answer(self, body: dict) -> dict:
        texts = body["input"]
        data = [{"index": i, "embedding": self.vector(text)} for i, text in enumerate(texts)]
        return {"object": "list", "data": data[::-1], "model": body["model"]}


@contextmanager
def embedding_service():
    """Runs the service."""
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
