"""Embeddings of an external model: computed in the background, used by recall, and not required."""

import time

import pytest

from harness.embeddings import embedding_service
from harness.program import until

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


def test_what_was_there_before_is_embedded_and_found_without_a_common_word(program, service):
    for text in ["Zyx it is.", "Plok it is.", "Grump it is."]:
        save(program, text)
    with program.stdio(env=settings(service)) as pipes:
        pipes.initialize()
        assert until(lambda: {"Zyx it is.", "Plok it is.", "Grump it is."} <= set(service.asked))
        assert until(lambda: recall(pipes, "water")[:1] == ["Plok it is."])
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
        assert until(lambda: {"Zyx it is.", "Plok it is."} <= set(service.asked))
        assert until(lambda: recall(pipes, "water")[:1] == ["Plok it is."])
    before = len(service.asked)
    with program.stdio(env=settings(service)) as pipes:
        pipes.initialize()
        assert recall(pipes, "water")[:1] == ["Plok it is."]
    assert len(service.asked) == before + 1, "only the question was new"


ENTRIES = 150
PAUSES = [40, 70, 100]
"""After how many texts the service stops answering, and the program is stopped."""


def fill(program) -> set[str]:
    """Creates entries that have no embeddings yet, and returns their texts."""
    entries = {f"Entry {number} speaks of lantern {number * 7} at the quay." for number in range(ENTRIES)}
    with program.stdio() as pipes:
        pipes.initialize()
        for text in sorted(entries):
            arguments = {"action": "save", "type": "pattern", "content": text}
            pipes.request("tools/call", {"name": "kn_experience", "arguments": arguments})
        assert pipes.close() == 0
    return entries


def progress(pipes) -> tuple[int, int]:
    """Returns how many texts are embedded and how many are waiting, according to the status."""
    answer = pipes.request("tools/call", {"name": "kn_graph", "arguments": {"action": "status"}})
    told = answer["structuredContent"]["embeddings"]
    assert told["model"] == "made-up-1"
    return told["done"], told["waiting"]


@pytest.mark.parametrize("end", ["killed", "asked to leave"])
def test_embedding_that_is_stopped_half_way_goes_on_there(program, service, end):
    entries = fill(program)
    for pause in PAUSES:
        service.pause_at, service.waiting = pause, []
        with program.stdio(env=settings(service)) as pipes:
            pipes.initialize()
            assert until(lambda: service.waiting)
            done = len(service.kept())
            assert progress(pipes) == (done, ENTRIES - done), "half-way, and the status says so"
            found = recall(pipes, "Entry 7 lantern 49?")[:1]
            assert found == ["Entry 7 speaks of lantern 49 at the quay."], "search does not wait"
            if end == "killed":
                pipes.process.kill()
                pipes.process.wait()
            else:
                assert pipes.close() == 0
        service.hang_up()
        assert not set(service.waiting) & set(service.kept()), "what was finished is not asked again"
    service.pause_at = None
    with program.stdio(env=settings(service)) as pipes:
        pipes.initialize()
        assert until(lambda: progress(pipes) == (ENTRIES, 0))
        assert sorted(service.kept()) == sorted(entries), "each text once"
    told = program.ok("doctor", env=settings(service))
    assert f"{ENTRIES} of {ENTRIES} names and texts" in told


def test_a_text_that_the_model_does_not_take_holds_nothing_up(program, service):
    entries = fill(program)
    service.refuses = "Entry 33 "
    with program.stdio(env=settings(service)) as pipes:
        pipes.initialize()
        assert until(lambda: progress(pipes) == (ENTRIES - 1, 1))
        assert entries - set(service.asked) == {"Entry 33 speaks of lantern 231 at the quay."}
        found = recall(pipes, "Entry 33 lantern 231?")[:1]
        assert found == ["Entry 33 speaks of lantern 231 at the quay."], "found without the model"


def test_the_key_is_never_told(program, service):
    service.status = 401
    with program.stdio("-vvv", env=settings(service)) as pipes:
        pipes.initialize()
        save(program, "Zyx it is.")
        recall(pipes, "zyx")
        assert until(lambda: service.keys)
        time.sleep(0.2)
        assert KEY not in pipes.log()
    done = program.run("doctor", env=settings(service))
    assert KEY not in done.stdout + done.stderr


@pytest.mark.parametrize("missing", ["LOREWELL_EMBEDDINGS_URL", "LOREWELL_EMBEDDINGS_MODEL"])
def test_half_a_setting_is_an_error(program, service, missing):
    env = {name: value for name, value in settings(service).items() if name != missing}
    for command, code in (("tools", 0), ("serve", 1)):
        done = program.run(command, env=env)
        assert done.returncode == code, (command, done)
        assert "embeddings.url and embeddings.model" in done.stderr
