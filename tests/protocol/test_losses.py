"""Nothing acknowledged is lost: not by kills, not by a failing disk, not under concurrent load, not
in a backup.

The normal run takes samples; `cargo xtask test losses` runs everything.
"""

import errno
import os
import random
import sqlite3
import struct
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness.keeper import DOORS, TOOLSETS, Keeper, Refused, missing
from harness.program import Program
from harness.table import Seat
from harness.web import Session

LONG = os.environ.get("LOREWELL_LOSSES") == "all"
KILLS = 250 if LONG else 50
"""How often the stdio server is killed while it writes through every door."""
PLACES = None if LONG else 6
"""At how many of its writes, or of its syncs, the disk fails; None means at each."""
SECONDS = 60 if LONG else 6
WRITERS, READERS = 50, 20
SEED = 20261116

FAULTS = {
    "a full disk": ("write", errno.ENOSPC),
    "a broken disk": ("write", errno.EIO),
    "a failed sync": ("sync", errno.EIO),
}


@pytest.fixture
def program(binary, tmp_path) -> Program:
    return with_vault(binary, tmp_path)


def with_vault(binary: str, home: Path) -> Program:
    """The program with a vault."""
    program = Program(binary, home)
    (home / "vault").mkdir(parents=True)
    program.settings = {"VAULT_PATH": str(home / "vault")}
    return program


def assert_kept(program, made) -> None:
    """Asserts that everything acknowledged is there and the store is intact."""
    with program.stdio(*TOOLSETS) as pipes:
        pipes.initialize()
        assert missing(Seat(pipes), made) == []
    assert "all is well" in program.ok("doctor")


def test_kills_through_every_door(program):
    """kill -9 of a stdio server that writes through every door; the next one finds everything."""
    moments = random.Random(SEED)
    acknowledged = []
    for cycle in range(KILLS):
        with program.stdio(*TOOLSETS) as pipes:
            pipes.initialize()
            keeper = Keeper(Seat(pipes), f"k{cycle}")
            assert missing(keeper.seat, acknowledged[-40:]) == [], f"cycle {cycle} of seed {SEED}"
            killing = threading.Event()
            timer = threading.Timer(moments.uniform(0.05, 0.4), kill, (pipes.process, killing))
            timer.start()
            write_until_gone(keeper, killing)
            timer.join()
        acknowledged += keeper.made
    assert len({made.door for made in acknowledged}) == len(DOORS), "there was work to interrupt"
    assert_kept(program, acknowledged)


def kill(process: subprocess.Popen, killing: threading.Event) -> None:
    """Kills a server, and says so before."""
    killing.set()
    process.kill()


def write_until_gone(keeper: Keeper, killing: threading.Event) -> None:
    """Writes through one door after the other until the server is gone. What fails before the kill
    is a failure of the server."""
    try:
        keeper.set_the_table()
        while True:
            for door in DOORS:
                keeper.make(door)
    except (AssertionError, OSError, ValueError):
        # An answer that was cut short by the kill acknowledges nothing.
        if not killing.is_set():
            raise


@pytest.fixture(scope="session")
def breaking(tmp_path_factory) -> Path:
    """The preload library that makes writes fail."""
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    source = Path(__file__).parent / "harness" / "faults.c"
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return library


class Disk:
    """Counts the writes and syncs of a server on its store, and makes some of them fail."""

    def __init__(self, library: Path, home: Path):
        self.counts = home / "counts"
        self.counts.write_bytes(bytes(16))
        self.env = {"LD_PRELOAD": str(library), "FAULT_COUNTS": str(self.counts)}
        self.first_failure = None

    def fail(self, fault: str, first: int, last: int) -> None:
        kind, error = FAULTS[fault]
        self.first_failure = kind, first
        self.env |= {"FAULT_KIND": kind, "FAULT_ERROR": str(error),
                     "FAULT_FIRST": str(first), "FAULT_LAST": str(last)}

    def done(self, kind: str) -> int:
        writes, syncs = struct.unpack("QQ", self.counts.read_bytes())
        return {"write": writes, "sync": syncs}[kind]

    def has_failed(self) -> bool:
        """Whether the first failure has happened."""
        if self.first_failure is None:
            return False
        kind, first = self.first_failure
        return self.done(kind) >= first


@dataclass
class Day:
    """The result of a run of `a_days_work`."""

    made: list
    """What was acknowledged."""
    refusals: list[str]
    late: list
    """What was acknowledged although the disk had failed before it was requested."""
    failed: bool = False
    """Whether the disk failed during the work."""


def a_days_work(program, disk: Disk, retries: int) -> Day:
    """Makes one thing through every door, and one more if the disk has failed by then, with retries
    after a refusal. If the server does not even start, the result contains its log."""
    with program.stdio(*TOOLSETS, env=disk.env) as pipes:
        keeper = Keeper(Seat(pipes), "d")
        day = Day(keeper.made, refusals=[], late=[])
        try:
            pipes.initialize()
        except (AssertionError, OSError):
            assert pipes.process.wait(timeout=30) != 0
            assert "panicked" not in pipes.log(), pipes.log()
            return Day([], [pipes.log()], late=[], failed=True)
        for step in [keeper.set_the_table, *(lambda door=door: keeper.make(door) for door in DOORS)]:
            try_again(step, day, disk, retries)
        day.failed = disk.has_failed()
        if day.failed:
            try_again(lambda: keeper.make("campaign"), day, disk, retries)
        assert "panicked" not in pipes.log(), pipes.log()
        assert pipes.close() == 0, pipes.log()
    return day


def try_again(step, day: Day, disk: Disk, retries: int) -> None:
    """Does one step, and repeats it up to `retries` times after a refusal."""
    for _ in range(1 + retries):
        before, had_failed = len(day.made), disk.has_failed()
        try:
            step()
            return
        except Refused as refusal:
            day.refusals.append(str(refusal))
        finally:
            # A note is kept in its own file; the store learns of it when it can.
            day.late += [one for one in day.made[before:] if had_failed and one.door != "note"]


def places(binary, breaking, home: Path, kind: str) -> list[int]:
    """Returns the numbers of the writes or syncs that shall fail, of all that an undisturbed run
    makes."""
    program = with_vault(binary, home)
    disk = Disk(breaking, home)
    day = a_days_work(program, disk, retries=0)
    assert day.refusals == [] and len(day.made) >= len(DOORS)
    all = range(1, disk.done(kind) + 1)
    return list(all) if PLACES is None else sorted(random.Random(SEED).sample(all, PLACES))


@pytest.mark.parametrize("fault", FAULTS)
def test_one_failure_costs_one_call(binary, breaking, tmp_path, fault):
    """One write or sync fails: what was acknowledged before and after is there, the failed call can
    be retried, and the store is intact."""
    for place in places(binary, breaking, tmp_path / "count", FAULTS[fault][0]):
        home = tmp_path / str(place)
        program, disk = with_vault(binary, home), Disk(breaking, home)
        disk.fail(fault, place, place)
        day = a_days_work(program, disk, retries=2)
        assert day.made == [] or {one.door for one in day.made} == set(DOORS), (place, day)
        assert all("disk" in refusal for refusal in day.refusals), day.refusals
        assert_kept(program, day.made)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_disk_that_stays_broken_loses_nothing(binary, breaking, tmp_path, fault):
    """From some point on every write or sync fails: nothing more is acknowledged, and what was
    acknowledged before is there."""
    for place in places(binary, breaking, tmp_path / "count", FAULTS[fault][0]):
        home = tmp_path / str(place)
        program, disk = with_vault(binary, home), Disk(breaking, home)
        disk.fail(fault, place, 1 << 60)
        day = a_days_work(program, disk, retries=0)
        assert day.late == [], (place, day)
        assert bool(day.refusals) == day.failed, (place, day)
        assert_kept(program, day.made)


class Crowd:
    """Many writers and readers at one table, which work until they are told to stop."""

    def __init__(self, server):
        self.server = server
        self.stop = threading.Event()
        self.faults: list[str] = []
        with server.client() as http:
            self.host = Keeper(Seat(Session(http).open()), "host")
            self.host.set_the_table()
        self.writers = [self.host.guest(f"w{number}") for number in range(WRITERS)]
        works = [lambda seat, writer=writer: self.write(seat, writer) for writer in self.writers]
        works += [self.read] * READERS
        self.threads = [threading.Thread(target=self.work, args=(work,)) for work in works]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop.set()
        for thread in self.threads:
            thread.join()

    def made(self) -> list:
        """Returns what was acknowledged so far."""
        return self.host.made + [made for writer in self.writers for made in list(writer.made)]

    def work(self, work) -> None:
        try:
            with self.server.client() as http:
                work(Seat(Session(http).open()))
        except Exception as fault:  # noqa: BLE001 - told by the main thread
            self.faults.append(repr(fault))

    def write(self, seat: Seat, writer: Keeper) -> None:
        writer.seat = seat
        doors = random.Random(writer.name)
        while not self.stop.is_set():
            writer.make(doors.choice(list(DOORS)))

    def read(self, seat: Seat) -> None:
        while not self.stop.is_set():
            events = seat.read(f"session://{self.host.session}/events?limit=50")["events"]
            newest = events[0]["seq"]
            assert [one["seq"] for one in events] == list(range(newest, newest - len(events), -1))
            found = seat.do("find_entities", query="hall", limit=20)["entities"]
            assert all("hall" in f"{one['name']} {one['entry']}".lower() for one in found), found
            seat.do("kn_intel", action="recall", topic="crate in the hall", limit=10)


def assert_invariants(seat: Seat, crowd: Crowd) -> None:
    """Asserts what each toolset guarantees under concurrency."""
    made = crowd.made()
    keys = [(one.door, one.key) for one in made]
    assert len(set(keys)) == len(keys), "no id was given twice"
    rolls = [one.key[1] for one in made if one.door == "roll"]
    events = seat.events(crowd.host.session)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert {e["seq"] for e in events if e["type"] == "ACTION_ROLL_RESOLVED"} == set(rolls)
    verdict = seat.do("session_log_verify", session_id=crowd.host.session)
    assert verdict["ok"] and verdict["rolls"] == len(rolls)
    (page,) = seat.do("get_entities", entity_ids=[crowd.host.page], include_posts=True)["results"]
    posts = {one.key[1] for one in made if one.door == "post"}
    assert {post["id"] for post in page["posts"]} == posts
    pages = seat.do("find_entities", entity_type="location", limit=0)["sync_info"]["total_count"]
    assert pages == sum(one.door == "page" for one in made)


def sample(made: list) -> list:
    """Returns a sample that is small enough to be checked one by one."""
    most = 5_000 if LONG else 300
    return made if len(made) <= most else random.Random(SEED).sample(made, most)


def rows(store: Path) -> dict[str, list]:
    """Returns everything in a store, table by table."""
    with sqlite3.connect(f"file:{store}?mode=ro", uri=True) as db:
        tables = db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
        return {name: sorted(map(repr, db.execute(f'SELECT * FROM "{name}"'))) for (name,) in tables}


def restored(program: Program, backup: Path, home: Path) -> Program:
    """Returns another installation with the contents of a backup and the same vault."""
    other = Program(program.binary, home)
    other.settings = program.settings
    other.ok("restore", str(backup))
    return other


def test_a_crowd_loses_nothing_and_copies_are_whole(program, serve, tmp_path):
    """Fifty write through every door and twenty read while backups are made. The guarantees of each
    toolset hold, a backup contains what was acknowledged before it began, and a last one is equal
    to the store."""
    server = serve(*TOOLSETS, "--max-sessions", "1000")
    copies = []
    with Crowd(server) as crowd:
        ends = time.monotonic() + SECONDS
        while time.monotonic() < ends and not crowd.faults:
            before = crowd.made()
            copy = tmp_path / f"copy-{len(copies)}"
            program.ok("backup", str(copy), timeout=120)
            copies.append((copy, before))
            time.sleep(SECONDS / 6)
    assert crowd.faults == []
    with server.client() as http:
        seat = Seat(Session(http).open())
        assert_invariants(seat, crowd)
        assert missing(seat, sample(crowd.made())) == []
    assert server.stop() == 0
    for number, (copy, before) in enumerate(copies):
        assert_kept(restored(program, copy, tmp_path / f"other-{number}"), sample(before))
    last = tmp_path / "last"
    program.ok("backup", str(last))
    other = restored(program, last, tmp_path / "equal")
    assert rows(other.store) == rows(program.store)
