"""A local language model service that answers what a test tells it to."""

import json
from contextlib import contextmanager

from harness.listener import Asked, Reply, listening


class Speaker:
    """What the model was asked, and what it answers."""

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
    """Runs the service."""
    speaker = Speaker()

    def answer(asked: Asked) -> Reply:
        speaker.keys.add(asked.headers.get("authorization"))
        status, said = speaker.respond(json.loads(asked.body))
        known = asked.path == "/v1/chat/completions"
        headers = {"content-type": "application/json"}
        return Reply(status if known else 404, json.dumps(said).encode(), headers)

    with listening(answer) as address:
        speaker.url = f"http://{address}/v1"
        yield speaker
