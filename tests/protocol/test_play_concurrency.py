"""Concurrent calls: one winner, no lost update, no gap in the log, and one effect per idempotency
key."""

import json
import random

import pytest

from harness.table import CRIT, FEAR, HOPE, Seat, at_once, replay, replayed
from harness.web import Session

MANY = 50


@pytest.fixture(scope="module")
def seats(shared):
    """Fifty clients, each with its own session and connection."""
    clients = [shared.client() for _ in range(MANY)]
    yield [Seat(Session(client).open()) for client in clients]
    for client in clients:
        client.close()


@pytest.fixture
def seat(seats):
    return seats[0]


@pytest.fixture
def campaign(seat) -> str:
    return seat.do("campaign_create", name="Ashfall", gm_mode="HUMAN")["id"]


@pytest.fixture
def hero(seat, campaign) -> str:
    """A character whose maximums are far away."""
    made = seat.do("character_create", campaign_id=campaign, name="Thorin", kind="PC")["id"]
    seat.do("character_profile_patch", character_id=made, hp_max=100, stress_max=100)
    return made


@pytest.fixture
def evening(seat, campaign) -> str:
    return seat.do("session_start", campaign_id=campaign)["id"]


def structured(result: dict) -> dict:
    return result["structuredContent"]


def assert_sound(seat, session: str) -> list[dict]:
    """Asserts that the log has no gap, that its hashes fit, and that its rolls can be reproduced.
    Returns its events."""
    events = seat.events(session)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    for before, after in zip(events, events[1:]):
        assert after["prev_hash"] == before["hash"]
    rolls = [event for event in events if event["type"] == "ACTION_ROLL_RESOLVED"]
    assert seat.do("session_log_verify", session_id=session) == {
        "ok": True, "events": len(events), "rolls": len(rolls), "wrong_rolls": [],
    }
    return events


# One of many wins


def test_of_many_session_starts_exactly_one_wins(seats, seat, campaign):
    """Of fifty concurrent calls on one campaign, one starts a session, and forty-nine refusals name
    it."""
    answers = at_once(lambda one=one: one.result("session_start", {"campaign_id": campaign}) for one in seats)
    (won,) = [structured(answer) for answer in answers if not answer.get("isError")]
    lost = [structured(answer) for answer in answers if answer.get("isError")]
    assert {error["code"] for error in lost} == {"FAILED_PRECONDITION"}
    assert all(won["id"] in error["message"] for error in lost)
    assert [found["id"] for found in seat.read(f"campaign://{campaign}/sessions")["sessions"]] == [won["id"]]
    assert seat.read(f"campaign://{campaign}")["campaign"]["active_session_id"] == won["id"]
    assert [event["type"] for event in assert_sound(seat, won["id"])] == ["SESSION_STARTED"]


@pytest.mark.parametrize("seed", [HOPE, FEAR, CRIT], ids=["hope", "fear", "critical"])
def test_of_many_applies_exactly_one_counts(seats, seat, campaign, hero, evening, seed):
    """Of fifty concurrent calls for one roll, one applies it; the others get the same answer,
    marked as already applied."""
    seat.do("character_state_patch", character_id=hero, hope=2, stress=5)
    rolled = seat.roll(evening, hero, rng=replay(seed))
    arguments = {"session_id": evening, "roll_seq": rolled["roll_seq"]}
    answers = at_once(lambda one=one: one.do("session_roll_outcome_apply", **arguments) for one in seats)
    (first,) = [answer for answer in answers if "already_applied" not in answer]
    assert all(answer == first or answer == {**first, "already_applied": True} for answer in answers)
    applied = [event for event in assert_sound(seat, evening) if event["type"] == "OUTCOME_APPLIED"]
    assert len(applied) == 1
    (state,) = first["updated"]["character_states"]
    assert seat.do("character_sheet_get", character_id=hero)["state"] == state
    assert seat.read(f"campaign://{campaign}")["campaign"]["gm_fear"] == (1 if seed == FEAR else 0)


def test_of_many_session_ends_all_succeed_and_one_counts(seats, seat, evening):
    """Ending is idempotent, also for calls at the same time."""
    answers = at_once(lambda one=one: one.do("session_end", session_id=evening) for one in seats[:20])
    assert all(answer == answers[0] for answer in answers)
    assert [event["type"] for event in assert_sound(seat, evening)] == ["SESSION_STARTED", "SESSION_ENDED"]


# No lost update


def test_concurrent_rolls_and_patches_lose_nothing(seats, seat, hero, evening):
    """Of forty concurrent calls, every roll and every patch is in the log, which has no gap and
    leads to the state on the sheet."""
    before = seat.do("character_sheet_get", character_id=hero)["state"]

    def work(number: int):
        one = seats[number]
        if number % 2:
            return one.roll(evening, hero)["roll_seq"]
        return one.do("character_state_patch", character_id=hero, **{("hp", "stress")[number // 2 % 2]: number + 1})

    answers = at_once(lambda number=number: work(number) for number in range(40))
    events = assert_sound(seat, evening)
    rolled = [event["seq"] for event in events if event["type"] == "ACTION_ROLL_RESOLVED"]
    assert sorted(answers[1::2]) == rolled
    patched = [event for event in events if event["type"] == "CHARACTER_STATE_PATCHED"]
    assert len(patched) == 20
    assert replayed(events, before) == seat.do("character_sheet_get", character_id=hero)["state"]


def test_concurrent_patches_of_different_fields_keep_each_other(seats, seat, hero):
    """Fields patched at the same time, outside of a session, are all there."""
    for value in range(1, 6):
        at_once([
            lambda: seats[1].do("character_state_patch", character_id=hero, hp=value),
            lambda: seats[2].do("character_state_patch", character_id=hero, stress=value),
            lambda: seats[3].do("character_profile_patch", character_id=hero, evasion=value),
        ])
        sheet = seat.do("character_sheet_get", character_id=hero)
        assert (sheet["state"]["hp"], sheet["state"]["stress"], sheet["profile"]["evasion"]) == (value,) * 3


def test_concurrent_fear_is_counted_once_each(seats, seat, campaign, hero, evening):
    """Ten Fear rolls applied at the same time give ten Fear."""
    rolls = [seat.roll(evening, hero, rng=replay(FEAR))["roll_seq"] for _ in range(10)]
    answers = at_once(
        lambda one=one, roll=roll: one.do("session_roll_outcome_apply", session_id=evening, roll_seq=roll)
        for one, roll in zip(seats, rolls)
    )
    assert sorted(answer["updated"]["gm_fear"] for answer in answers) == list(range(1, 11))
    assert seat.read(f"campaign://{campaign}")["campaign"]["gm_fear"] == 10
    assert_sound(seat, evening)


def test_nothing_is_recorded_after_the_end(seats, seat, hero, evening):
    """If a session ends during rolls, patches and applies, only rejections are recorded after
    SESSION_ENDED."""
    rolls = [seat.roll(evening, hero, rng=replay(HOPE))["roll_seq"] for _ in range(10)]

    def work(number: int) -> None:
        one = seats[number]
        if number % 3 == 0:
            arguments = {"session_id": evening, "character_id": hero, "trait": "x", "difficulty": 1}
            one.result("session_action_roll", arguments)
        elif number % 3 == 1:
            one.result("character_state_patch", {"character_id": hero, "hp": number})
        else:
            one.result("session_roll_outcome_apply", {"session_id": evening, "roll_seq": rolls[number // 3]})

    works = [lambda number=number: work(number) for number in range(30)]
    works.insert(15, lambda: seats[40].do("session_end", session_id=evening))
    at_once(works)
    kinds = [event["type"] for event in assert_sound(seat, evening)]
    after = kinds[kinds.index("SESSION_ENDED") + 1:]
    assert set(after) <= {"REQUEST_REJECTED"}, after


def test_many_campaigns_are_made_at_once(seats, seat):
    """Thirty campaigns with a participant, a character and a session each do not disturb one
    another."""
    def work(one: Seat) -> tuple[str, str]:
        campaign = one.do("campaign_create", name="x", gm_mode="AI")["id"]
        one.do("participant_create", campaign_id=campaign, display_name="x", role="PLAYER")
        character = one.do("character_create", campaign_id=campaign, name="x", kind="PC")["id"]
        session = one.do("session_start", campaign_id=campaign)["id"]
        one.roll(session, character)
        return campaign, session

    made = at_once(lambda one=one: work(one) for one in seats[:30])
    listed = {found["id"]: found for found in seat.read("campaigns://list")["campaigns"]}
    for campaign, session in made:
        assert (listed[campaign]["participant_count"], listed[campaign]["character_count"]) == (1, 1)
        assert listed[campaign]["active_session_id"] == session


# Idempotency keys

KEYED = {
    "campaign_create": {"name": "x", "gm_mode": "AI"},
    "campaign_update": {"campaign_id": "$campaign", "name": "y"},
    "participant_create": {"campaign_id": "$campaign", "display_name": "x", "role": "PLAYER"},
    "participant_update": {"participant_id": "$participant", "display_name": "y"},
    "character_create": {"campaign_id": "$campaign", "name": "x", "kind": "NPC"},
    "character_update": {"character_id": "$hero", "notes": "y"},
    "character_control_set": {"campaign_id": "$campaign", "character_id": "$hero", "controller": "GM"},
    "character_profile_patch": {"character_id": "$hero", "hp_max": 3},
    "character_state_patch": {"character_id": "$hero", "stress": 3},
    "campaign_fork": {"campaign_id": "$campaign"},
    "session_start": {"campaign_id": "$idle"},
    "session_action_roll": {"session_id": "$evening", "character_id": "$hero", "trait": "x", "difficulty": 9},
    "session_roll_outcome_apply": {"session_id": "$evening", "roll_seq": "$roll"},
    "session_effect_apply": {"session_id": "$evening", "fear": 1},
    "session_note_add": {"session_id": "$evening", "text": "x"},
    "session_end": {"session_id": "$evening"},
}


class Things:
    """Things that the calls with keys can refer to."""

    def __init__(self, seat: Seat):
        self.campaign = seat.do("campaign_create", name="x", gm_mode="AI")["id"]
        self.idle = seat.do("campaign_create", name="x", gm_mode="AI")["id"]
        arguments = {"campaign_id": self.campaign, "display_name": "x", "role": "PLAYER"}
        self.participant = seat.do("participant_create", **arguments)["id"]
        self.hero = seat.do("character_create", campaign_id=self.campaign, name="x", kind="PC")["id"]
        self.evening = seat.do("session_start", campaign_id=self.campaign)["id"]
        self.roll = seat.roll(self.evening, self.hero, rng=replay(FEAR))["roll_seq"]

    def fill(self, arguments: dict) -> dict:
        return {key: getattr(self, value[1:]) if str(value)[0] == "$" else value
                for key, value in arguments.items()}

    def seen(self, seat: Seat) -> str:
        """Returns everything that a call may have changed."""
        uris = [f"campaign://{campaign}{part}" for campaign in (self.campaign, self.idle)
                for part in ("", "/participants", "/characters", "/sessions")]
        sheet = seat.do("character_sheet_get", character_id=self.hero)
        count = len(seat.read("campaigns://list")["campaigns"])
        return json.dumps([count, sheet, seat.events(self.evening), [seat.read(uri) for uri in uris]])


@pytest.fixture
def alone(serve):
    """A server whose world nobody else changes."""
    server = serve()
    with server.client() as http:
        yield server, Seat(Session(http).open())


def fresh_key() -> str:
    return f"key-{random.getrandbits(64):x}"


def test_every_write_takes_a_key(shared):
    """All tools that write to the store can be repeated. `set_context` stores nothing."""
    taking = {tool["name"] for tool in shared.program.tools("--toolsets", "play")
              if "idempotency_key" in tool["inputSchema"]["properties"]}
    writing = {tool["name"] for tool in shared.program.tools("--toolsets", "play")
               if not tool["annotations"]["readOnlyHint"]}
    assert taking == writing - {"set_context"} == set(KEYED)


@pytest.mark.parametrize("tool", KEYED)
def test_a_repeated_call_has_one_effect_and_one_answer(alone, tool):
    """The second call with the same key changes nothing and gives exactly the same answer."""
    _, seat = alone
    things = Things(seat)
    arguments = {**things.fill(KEYED[tool]), "idempotency_key": fresh_key()}
    first = seat.result(tool, arguments)
    assert not first.get("isError"), first
    seen = things.seen(seat)
    again = seat.result(tool, arguments)
    assert (again["structuredContent"], again["content"]) == (first["structuredContent"], first["content"])
    assert things.seen(seat) == seen


def test_another_key_is_another_call(seat, hero, evening):
    """Two keys make two rolls."""
    rolls = {seat.roll(evening, hero, idempotency_key=fresh_key())["roll_seq"] for _ in range(2)}
    assert rolls == {3, 5}


def test_a_refused_call_does_not_use_up_its_key(seat, hero, evening):
    """A failed call may be corrected and sent again with the same key."""
    key = fresh_key()
    arguments = {"session_id": evening, "character_id": hero, "difficulty": 9, "idempotency_key": key}
    seat.refused("session_action_roll", trait=" ", **arguments)
    first = seat.do("session_action_roll", trait="x", **arguments)
    assert seat.do("session_action_roll", trait="x", **arguments) == first


def test_a_key_is_not_taken_for_another_call(seat, hero, evening):
    """Different arguments with a used key are an error, and nothing is rolled. The order of
    arguments does not matter."""
    arguments = {"session_id": evening, "character_id": hero, "idempotency_key": fresh_key()}
    first = seat.do("session_action_roll", trait="x", difficulty=9, **arguments)
    error = seat.refused("session_action_roll", trait="x", difficulty=10, **arguments)
    assert (error["code"], error["field"]) == ("INVALID_ARGUMENT", "idempotency_key")
    assert seat.do("session_action_roll", **arguments, difficulty=9, trait="x") == first


@pytest.mark.parametrize("key", ["", "   ", "x" * 201])
def test_an_odd_key_is_refused(seat, hero, evening, key):
    """A key has 1 to 200 characters."""
    error = seat.refused("session_action_roll", session_id=evening, character_id=hero, trait="x", difficulty=9,
                         idempotency_key=key)
    assert (error["code"], error["field"]) == ("INVALID_ARGUMENT", "idempotency_key")


def test_keys_are_of_one_person(program, serve):
    """Two tokens with the same key make two calls."""
    tokens = [program.token("gm", name) for name in ("gail", "gus")]
    server = serve()
    made = []
    for token in tokens:
        with server.client(authorization=f"Bearer {token}") as http:
            seat = Seat(Session(http).open())
            made.append(seat.do("campaign_create", name="x", gm_mode="AI", idempotency_key="same")["id"])
    assert made[0] != made[1]


def test_concurrent_duplicates_have_one_effect(seats, seat, hero, evening):
    """Thirty concurrent calls with one key make one roll and get the same answer."""
    key = fresh_key()
    answers = at_once(lambda one=one: one.roll(evening, hero, idempotency_key=key) for one in seats[:30])
    assert all(answer == answers[0] for answer in answers)
    assert [event["type"] for event in assert_sound(seat, evening)][1:] == [
        "ACTION_ROLL_REQUESTED", "ACTION_ROLL_RESOLVED",
    ]


def test_concurrent_duplicates_among_other_calls_have_one_effect_each(seats, seat, hero, evening):
    """Ten keys with three calls each and ten calls without a key make twenty rolls, and each key
    has its own answer."""
    keys = [fresh_key() for _ in range(10)]
    wanted = [{"idempotency_key": key} for key in keys for _ in range(3)] + [{}] * 10
    random.Random(7).shuffle(wanted)
    answers = at_once(
        lambda one=one, more=more: one.roll(evening, hero, **more) for one, more in zip(seats, wanted)
    )
    by_key: dict[str, list] = {}
    for more, answer in zip(wanted, answers):
        by_key.setdefault(more.get("idempotency_key", ""), []).append(answer)
    places = {answer["roll_seq"] for answer in answers}
    assert len(places) == 20 and len(by_key.pop("")) == 10
    assert all(answer == same[0] for same in by_key.values() for answer in same)
    rolls = [event["seq"] for event in assert_sound(seat, evening) if event["type"] == "ACTION_ROLL_RESOLVED"]
    assert set(rolls) == places


def test_a_key_is_remembered_after_a_kill(serve):
    """After an answer, kill -9 and a restart, repeating the call gives the same answer and no
    second effect, for every write."""
    server = serve()
    with server.client() as http:
        seat = Seat(Session(http).open())
        things = Things(seat)
        calls = {tool: {**things.fill(arguments), "idempotency_key": fresh_key()}
                 for tool, arguments in KEYED.items()}
        first = {tool: seat.do(tool, **arguments) for tool, arguments in calls.items()}
        seen = things.seen(seat)
    server.kill()
    server.start()
    with server.client() as http:
        seat = Seat(Session(http).open())
        assert things.seen(seat) == seen, "what was answered was stored"
        assert {tool: seat.do(tool, **arguments) for tool, arguments in calls.items()} == first
        assert things.seen(seat) == seen, "nothing happened twice"
        assert_sound(seat, things.evening)


def test_a_kill_in_the_middle_leaves_a_sound_log(serve):
    """kill -9 while ten clients roll: what was answered is there, nothing is half done, and a retry
    with the same keys completes each call once."""
    server = serve()
    with server.client() as http:
        things = Things(Seat(Session(http).open()))
    clients = [server.client() for _ in range(10)]
    seats = [Seat(Session(client).open()) for client in clients]
    keys = [[fresh_key() for _ in range(15)] for _ in seats]

    def play(number: int) -> dict:
        answered = {}
        if number == len(seats):
            while len(server_events(server, things)) < 40:
                pass
            server.kill()
            return answered
        try:
            for key in keys[number]:
                answered[key] = seats[number].roll(things.evening, things.hero, idempotency_key=key)
        except Exception:  # the server is gone
            pass
        return answered

    answers = at_once(lambda number=number: play(number) for number in range(len(seats) + 1))
    for client in clients:
        client.close()
    answered = {key: answer for part in answers for key, answer in part.items()}
    assert answered and len(answered) < 150, "the kill came in the middle"
    server.start()
    with server.client() as http:
        seat = Seat(Session(http).open())
        assert_sound(seat, things.evening)
        again = {key: seat.roll(things.evening, things.hero, idempotency_key=key) for part in keys for key in part}
        assert {key: again[key] for key in answered} == answered
        rolls = [event["seq"] for event in assert_sound(seat, things.evening)
                 if event["type"] == "ACTION_ROLL_RESOLVED"]
        assert sorted(answer["roll_seq"] for answer in again.values()) == rolls[1:], "each key has its roll"


def server_events(server, things: Things) -> list:
    with server.client() as http:
        return Seat(Session(http).open()).read(f"session://{things.evening}/events?limit=100")["events"]
