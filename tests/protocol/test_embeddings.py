"""Embeddings of an outside model: made in the background, used by recall, done without in need."""

import time

import pytest

from harness.embeddings import embedding_service
from harness.program import PATIENCE

KEY = "sk-test-of-embeddings"


@pytest.fixture
def service():
    with embedding_service() as running:
        yield running


def settings(service) -> dict[str, str]:
    return {
        "LOREWELL_EMBEDDINGS_URL": service.url,
        "LOREWELL_EMBEDDINGS_MODEL": "made-up-1",
        "LOREWELL_EMBEDDINGS_KEY": KEY,
    }


def save(program, text: str, env=None) -> None:
    program.ok("call", "kn_experience", f'{{"action":"save","type":"pattern","content":"{text}"}}', env=env)


def recall(pipes, topic: str) -> list[str]:
    arguments = {"action": "recall", "topic": topic, "limit": 5}
    answer = pipes.request("tools/call", {"name": "kn_intel", "arguments": arguments})
    return [row["content"] for row in answer["structuredContent"]["results"]]


def until(condition) -> None:
    """Waits for background work."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def test_what_was_there_before_is_embedded_and_found_without_a_common_word(program, service):
    for text in ["Zyx it is.", "Plok it is.", "Grump it is."]:
        save(program, text)
    with program.stdio(env=settings(service)) as pipes:
        pipes.initialize()
        until(lambda: {"Zyx it is.", "Plok it is.", "Grump it is."} <= set(service.asked))
        until(lambda: recall(pipes, "water")[:1] == ["Plok it is."])
    assert service.keys == {f"Bearer {KEY}"}


def test_work_goes_on_where_it_was(program, service):
    service.status = 503
    for text in ["Zyx it is.", "Plok it is."]:
        save(program, text)
    with program.stdio(env=settings(service)) as pipes:
        pipes.initialize()
        assert recall(pipes, "zyx")[:1] == ["Zyx it is."], "without the model, by words"
    service.status = 200
    with program.stdio(env=settings(service)) as pipes:
        pipes.initialize()
        until(lambda: {"Zyx it is.", "Plok it is."} <= set(service.asked))
        until(lambda: recall(pipes, "water")[:1] == ["Plok it is."])
    before = len(service.asked)
    with program.stdio(env=settings(service)) as pipes:
        pipes.initialize()
        assert recall(pipes, "water")[:1] == ["Plok it is."]
    assert len(service.asked) == before + 1, "only the question was new"


def test_the_key_is_never_told(program, service):
    service.status = 401
    with program.stdio("-vvv", env=settings(service)) as pipes:
        pipes.initialize()
        save(program, "Zyx it is.")
        recall(pipes, "zyx")
        until(lambda: service.keys)
        time.sleep(0.2)
        assert KEY not in pipes.log()
    done = program.run("doctor", env=settings(service))
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize("missing", ["LOREWELL_EMBEDDINGS_URL", "LOREWELL_EMBEDDINGS_MODEL"])
def test_half_a_setting_is_an_error(program, service, missing):
    env = {name: value for name, value in settings(service).items() if name != missing}
    done = program.run("tools", env=env)
    assert done.returncode != 0
    assert "embeddings.url and embeddings.model" in done.stderr
