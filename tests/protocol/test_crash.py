"""What was acknowledged over HTTP survives kill -9, and the server restarts quickly."""

import os
import random
import statistics
import threading
import time

import httpx2
import pytest

from harness.program import until
from harness.rpc import answer_of, initialize_params, message, result_of
from harness.web import BOTH, Session

WORKERS = 4
SEED = 20260728


class Ledger:
    """What the server has acknowledged."""

    def __init__(self):
        self.lock = threading.Lock()
        self.entries: list[str] = []

    def add(self, entry: str) -> None:
        with self.lock:
            self.entries.append(entry)


def open_sessions(server, ledger: Ledger) -> None:
    """Opens sessions until the server is gone. An answered `initialize` is an acknowledgement."""
    opening = message("initialize", initialize_params("2025-11-25"))
    with server.client(accept=BOTH) as http:
        while True:
            answer = http.post("/mcp", json=opening)
            result_of(answer_of(answer))
            http.cookies.clear()
            ledger.add(answer.headers["mcp-session-id"])


def create_campaigns(server, ledger: Ledger) -> None:
    """Creates campaigns until the server is gone. An answered call is an acknowledgement."""
    with server.client() as http:
        session = Session(http).open()
        while True:
            made = session.call(
                "campaign_create", {"name": "The Lost Expedition", "gm_mode": "HUMAN"}
            )
            ledger.add(made["structuredContent"]["id"])


def survives_session(http, id: str) -> bool:
    """Whether a session still answers."""
    answer = http.post("/mcp", json=message("ping"), headers={"accept": BOTH, "mcp-session-id": id})
    return answer.status_code == 200 and answer_of(answer).get("result") == {}


def survives_campaign(http, id: str) -> bool:
    """Whether a campaign can still be read."""
    answer = http.post("/mcp", json=message("resources/read", {"uri": f"campaign://{id}"}))
    return answer.status_code == 200 and id in answer.text and "result" in answer.json()


def until_gone(work, server, ledger) -> None:
    """Works until the connection breaks."""
    try:
        work(server, ledger)
    except (httpx2.TransportError, ValueError):
        pass  # the kill: an answer that was cut short acknowledges nothing


def kill_while(server, work, ledger: Ledger, after: float) -> None:
    """Starts the workers and kills the server while they work."""
    threads = [
        threading.Thread(target=until_gone, args=(work, server, ledger)) for _ in range(WORKERS)
    ]
    for thread in threads:
        thread.start()
    assert until(lambda: ledger.entries), "there is work to interrupt"
    time.sleep(after)
    server.kill()
    for thread in threads:
        thread.join()


# 200 kills together with those of test_losses.py; 1,000 with `cargo xtask test losses`.
LONG = os.environ.get("LOREWELL_LOSSES") == "all"
CASES = {
    "sessions": (open_sessions, survives_session, 400 if LONG else 70),
    "campaigns": (create_campaigns, survives_campaign, 350 if LONG else 80),
}


@pytest.mark.parametrize("what", CASES)
def test_nothing_acknowledged_is_lost(serve, program, what):
    """Many times over: work from several threads, kill -9 at a random moment, restart, and find
    everything that was acknowledged. The median restart takes less than two seconds."""
    work, survives, cycles = CASES[what]
    moments = random.Random(SEED)
    server = serve("--max-sessions", "100000")
    acknowledged, restarts = [], []
    for cycle in range(cycles):
        ledger = Ledger()
        kill_while(server, work, ledger, moments.uniform(0.02, 0.12))
        began = time.monotonic()
        server.start()
        assert until(server.is_healthy)
        restarts.append(time.monotonic() - began)
        with server.client() as http:
            lost = [entry for entry in ledger.entries if not survives(http, entry)]
        assert lost == [], f"cycle {cycle} of seed {SEED}"
        acknowledged += ledger.entries
    assert statistics.median(restarts) < 2, f"restarts took {sorted(restarts)} s"
    with server.client() as http:
        sample = moments.sample(acknowledged, min(200, len(acknowledged)))
        assert [entry for entry in sample if not survives(http, entry)] == [], "of earlier cycles"
    server.kill()
    assert "all is well" in program.ok("doctor")


def test_a_damaged_log_is_not_read_over(serve, program):
    """If a byte of the write-ahead log is damaged, nobody opens the store and overwrites what lies
    behind it, and doctor reports it. With `--accept`, what can be read is kept."""
    server = serve()
    # So few that no checkpoint moves them from the log into the store.
    with server.client() as http:
        session = Session(http).open()
        for _ in range(5):
            session.call("campaign_create", {"name": "The Lost Expedition", "gm_mode": "HUMAN"})
    server.kill()
    log = program.store.with_name(program.store.name + "-wal")
    whole = log.read_bytes()
    for place in (20, 1_000, len(whole) // 2):
        odd = bytearray(whole)
        odd[place] ^= 1
        log.write_bytes(odd)
        done = program.run("doctor")
        assert done.returncode == 1 and "-wal" in done.stdout, (place, done.stdout)
        done = program.run("world", "list")
        assert done.returncode != 0 and "damaged" in done.stderr, (place, done.stderr)
        assert log.read_bytes() == bytes(odd), "it is left as it is"
    done = program.run("doctor", "--accept")
    assert done.returncode == 0 and "-wal.damaged" in done.stdout, done.stdout
    assert log.with_name(log.name + ".damaged").read_bytes() == bytes(odd)
    assert "all is well" in program.ok("doctor")
