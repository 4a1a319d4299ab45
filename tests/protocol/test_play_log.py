"""`session_log_verify` detects changes made directly in the store."""

import hashlib
import json
import sqlite3
import uuid

import pytest

from harness.program import Program
from harness.table import HOPE, Seat, replay

# Changes to the log of a session with five rolls, each with the first event that no longer fits.
TAMPERED = {
    "a payload": ("UPDATE event SET payload = replace(payload, 'agility', 'finesse') WHERE seq = 5", 5),
    "a secret": ("""UPDATE event SET secret = '{"difficulty":3}' WHERE seq = 4""", 4),
    "a type": ("UPDATE event SET kind = 'NOTE_ADDED' WHERE seq = 7", 7),
    "a moment": ("UPDATE event SET at = at + 1000000 WHERE seq = 1", 1),
    "who acted": ("UPDATE event SET participant = NULL, character = NULL WHERE seq = 6", 6),
    "what it settles": ("UPDATE event SET settles = 3 WHERE seq = 11", 11),
    "who may see it": ("UPDATE event SET visibility = 'gm' WHERE seq = 4", 4),
    "a hash": ("UPDATE event SET hash = zeroblob(32) WHERE seq = 8", 8),
    "the hash before": ("UPDATE event SET previous = zeroblob(32) WHERE seq = 9", 9),
    "a missing event": ("DELETE FROM event WHERE seq = 6", 6),
    "a missing beginning": ("DELETE FROM event WHERE seq = 1", 1),
    "an event that was moved": ("UPDATE event SET seq = 40 WHERE seq = 4", 4),
    "a missing end": ("DELETE FROM event WHERE seq > 9", 10),
    "a missing log": ("DELETE FROM event", 1),
    "a missing head": ("DELETE FROM state WHERE name = 'log_head'", 1),
    "a head that was moved": ("UPDATE state SET value = json_set(value, '$.count', 9) WHERE name = 'log_head'", 10),
}


@pytest.fixture(scope="module")
def played(binary, tmp_path_factory):
    """A store with one session of five rolls; tests work on copies of it."""
    program = Program(binary, tmp_path_factory.mktemp("played"))
    with program.stdio() as pipes:
        pipes.initialize()
        seat = Seat(pipes)
        campaign = seat.do("campaign_create", name="x", gm_mode="AI")["id"]
        hero = seat.do("character_create", campaign_id=campaign, name="x", kind="PC")["id"]
        session = seat.do("session_start", campaign_id=campaign)["id"]
        for number in range(5):
            seat.roll(session, hero, difficulty=8, **({"rng": replay(HOPE)} if number == 2 else {}))
        assert seat.do("session_log_verify", session_id=session)["ok"] is True
        assert pipes.close() == 0
    return program, session


def behind_the_back(program) -> sqlite3.Connection:
    """Opens the store directly. The head of a log has a seal, whose function is replaced by a stub,
    because seals are not tested here."""
    db = sqlite3.connect(program.store)
    db.create_function("seal_of", -1, lambda *_: 0, deterministic=True)
    return db


def verified_after(played, home, statement: str) -> dict:
    """Changes a copy of the store with this statement and returns what the tool says about it."""
    program, session = played
    copy = program.copy(home)
    with behind_the_back(copy) as db:
        assert db.execute(statement).rowcount > 0
    db.close()
    with copy.stdio() as pipes:
        pipes.initialize()
        return Seat(pipes).do("session_log_verify", session_id=session)


def test_an_untouched_copy_fits(played, tmp_path):
    """A copy is as good as the original."""
    found = verified_after(played, tmp_path, "UPDATE event SET seq = seq WHERE seq = 1")
    assert found == {"ok": True, "events": 11, "rolls": 5, "wrong_rolls": []}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_changed_log_is_found_out(played, tmp_path, what):
    """Whatever is changed, the answer says so and where."""
    statement, place = TAMPERED[what]
    found = verified_after(played, tmp_path, statement)
    assert found["ok"] is False and found["broken_at"] == place, found


def test_a_log_that_was_cut_off_says_how_much_is_gone(played, tmp_path):
    """The hashes of the remaining events fit, but the head of the log shows that there were
    more."""
    found = verified_after(played, tmp_path, "DELETE FROM event WHERE seq > 7")
    assert found == {"ok": False, "events": 7, "broken_at": 8, "missing_events": 4, "rolls": 3, "wrong_rolls": []}


def test_doctor_notices_a_log_that_was_cut_off(played, tmp_path):
    """`lorewell doctor` reports it as well."""
    program, _ = played
    copy = program.copy(tmp_path)
    with sqlite3.connect(copy.store) as db:
        db.execute("DELETE FROM event WHERE seq > 7")
    db.close()
    checked = copy.run("doctor")
    assert checked.returncode != 0
    assert "does not fit from entry 8 on, and 4 of its entries are gone" in checked.stdout + checked.stderr


def mended(db: sqlite3.Connection, place: int, lie: dict) -> None:
    """Puts a false value into an event and recomputes all hashes, as somebody could who knows the
    algorithm."""
    # The campaign has its own log with what happened before the session.
    (log,) = db.execute("SELECT node FROM event GROUP BY node ORDER BY count(*) DESC LIMIT 1").fetchone()
    rows = db.execute("SELECT seq, at, kind, request_id, invocation_id, participant, character, payload,"
                      " secret, settles, visibility FROM event WHERE node = ? ORDER BY seq", (log,)).fetchall()
    previous = bytes(32)
    for seq, at, kind, request, call, participant, character, text, secret, settles, seen_by in rows:
        if seq == place:
            text = json.dumps({**json.loads(text), **lie}, separators=(",", ":"))
        people = [str(uuid.UUID(bytes=id)) if id else "" for id in (participant, character)]
        hasher = hashlib.sha256(previous)
        for part in (str(seq), str(at), kind, request, call, *people, text, secret or "", str(settles or ""), seen_by):
            hasher.update(len(part.encode()).to_bytes(8, "big") + part.encode())
        db.execute("UPDATE event SET payload = ?, previous = ?, hash = ? WHERE node = ? AND seq = ?",
                   (text, previous, hasher.digest(), log, seq))
        previous = hasher.digest()
    db.execute("UPDATE state SET value = json_object('count', ?, 'hash', ?) WHERE node = ? AND name = 'log_head'",
               (rows[-1][0], previous.hex(), log))


# The third roll shows 7 and 1, has no modifier, and meets its difficulty of 8.
LIES = {
    "the dice": {"dice": {"hope_die": 12, "fear_die": 12}},
    "the total": {"total": 9},
    "the modifier": {"modifier": 1},
    "the seed": {"seed_used": 4},
    "the algorithm": {"rng_algo": "mine"},
    "a critical": {"crit": True},
    "which die leads": {"flavor": "FEAR"},
    "the success": {"success": False},
    "the outcome": {"outcome": "FAILURE_WITH_FEAR"},
    "the difficulty": {"difficulty": 9},
}


@pytest.mark.parametrize("what", LIES)
def test_a_lie_with_mended_hashes_is_found_out_by_the_seed(played, tmp_path, what):
    """Changing a roll and recomputing the whole chain is still detected, because the seed
    determines the dice."""
    program, session = played
    copy = program.copy(tmp_path)
    with behind_the_back(copy) as db:
        mended(db, 7, LIES[what])
    db.close()
    with copy.stdio() as pipes:
        pipes.initialize()
        found = Seat(pipes).do("session_log_verify", session_id=session)
    assert found == {"ok": False, "events": 11, "rolls": 5, "wrong_rolls": [7]}
