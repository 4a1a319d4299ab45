"""Memory under concurrency: nothing is lost or torn, and everybody finds what they wrote."""

import os
import threading
import time

from harness.web import Session

WRITERS = 8
READERS = 8
# For a longer run, use `cargo xtask test soak`.
SECONDS = int(os.environ.get("LOREWELL_CONCURRENCY_SECONDS", "6"))


def test_writers_and_readers_at_once(server):
    """Each writer reads its own writes at once, and in the end everything is there."""
    until = time.monotonic() + SECONDS
    written: list[list[str]] = [[] for _ in range(WRITERS)]
    faults: list[str] = []

    def guarded(work, *arguments):
        try:
            with server.client() as http:
                work(Session(http).open(), *arguments)
        except Exception as fault:  # noqa: BLE001 - told by the main thread
            faults.append(repr(fault))

    def call(mind, tool, **arguments):
        answer = mind.call(tool, arguments)
        assert not answer.get("isError"), answer
        assert "error" not in answer["structuredContent"], answer
        return answer["structuredContent"]

    def write(mind, number):
        count = 0
        while time.monotonic() < until:
            word = f"w{number}x{count}"
            fact = call(mind, "kn_intel", action="learn", type="decision",
                        content=f"Crate {word} stands in hall {number}")
            found = call(mind, "kn_intel", action="recall", topic=word, limit=5)["results"]
            assert fact["node_id"] in {row["id"] for row in found}, (word, found)
            written[number].append(fact["node_id"])
            count += 1

    def read(mind):
        while time.monotonic() < until:
            for row in call(mind, "kn_intel", action="recall", topic="crate", limit=20)["results"]:
                assert row["source"] == "node" and row["description"].startswith("Crate "), row
            call(mind, "kn_graph", action="status")
            call(mind, "kn_experience", action="search", limit=5)

    threads = [threading.Thread(target=guarded, args=(write, n)) for n in range(WRITERS)]
    threads += [threading.Thread(target=guarded, args=(read,)) for _ in range(READERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults, faults
    with server.client() as http:
        status = call(Session(http).open(), "kn_graph", action="status")
    total = sum(map(len, written))
    assert total > WRITERS and status["nodes"] == status["experiences"] == total


def test_one_project_is_active_whoever_chooses(server):
    """Eight clients choose at the same time; one project is active."""
    with server.client() as http:
        mind = Session(http).open()
        projects = [
            mind.call("kn_project", {"action": "create", "name": f"P{n}"})["structuredContent"]["id"]
            for n in range(8)
        ]

        def choose(project):
            with server.client() as own:
                for _ in range(5):
                    Session(own).open().call("kn_project", {"action": "list", "set_active": project})

        threads = [threading.Thread(target=choose, args=(project,)) for project in projects]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        active = mind.call("kn_project", {"action": "list", "active_only": True})
        assert active["structuredContent"]["count"] == 1
