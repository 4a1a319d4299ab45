"""An embedding service on this machine that knows what a few made-up words mean."""

import json
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

    def answer(asked: Asked) -> Reply:
        service.keys.add(asked.headers.get("authorization"))
        if asked.path != "/v1/embeddings" or service.status != 200:
            return Reply(service.status, b"<html>no</html>")
        return Reply(body=json.dumps(service.answer(json.loads(asked.body))).encode())

    with listening(answer) as address:
        service.url = f"http://{address}/v1"
        yield service
