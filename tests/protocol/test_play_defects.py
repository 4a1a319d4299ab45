"""Eight defects of the original implementation of the contract, each shown to be absent."""

import os
import time

import pytest

from harness.rpc import message
from harness.table import CRIT, FEAR, HOPE, Listener, Seat, listening, payload, replay
from harness.web import Cookies, EventStream, Modern, Session

LIST = "campaigns://list"
UNKNOWN = "sess_" + "a" * 26


class Evening:
    """A campaign with a character in a running session."""

    def __init__(self, seat: Seat):
        self.id = seat.do("campaign_create", name="Ashfall", gm_mode="HUMAN")["id"]
        self.uri = f"campaign://{self.id}"
        self.alice = seat.do("participant_create", campaign_id=self.id, display_name="Alice", role="PLAYER")["id"]
        self.hero = seat.do("character_create", campaign_id=self.id, name="Thorin", kind="PC")["id"]
        self.session = seat.do("session_start", campaign_id=self.id)["id"]
        self.events = f"session://{self.session}/events"


@pytest.fixture
def session(web):
    return Session(web).open()


@pytest.fixture
def seat(session):
    return Seat(session)


@pytest.fixture
def evening(seat):
    return Evening(seat)


# 1. Notifications that no client could read


def is_update(found: dict, uri: str) -> bool:
    return found == {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}}


def test_defect_1_notifications_on_the_event_stream_are_json_rpc(session, seat, evening):
    """The notification is exactly as in the contract: jsonrpc, method, params.uri, nothing else."""
    uri = f"{evening.uri}/participants"
    seat.subscribe(uri)
    with listening(session) as heard:
        seat.do("participant_create", campaign_id=evening.id, display_name="Bob", role="PLAYER")
        heard.wait_for(uri)
    assert is_update(heard.messages[0], uri), heard.messages


def test_defect_1_notifications_reach_a_client_with_cookies_only(server):
    """As in the contract's curl example: no session header, revision 2024-11-05."""
    with server.client() as http:
        Session(http, "2024-11-05").open()
        seat = Seat(Cookies(http))
        uri = f"campaign://{seat.do('campaign_create', name='x', gm_mode='AI')['id']}/participants"
        seat.subscribe(uri)
        with http.stream("GET", "/mcp", headers={"accept": "text/event-stream"}) as response:
            heard = Listener(EventStream(response))
            seat.do("participant_create", campaign_id=uri.split("/")[2], display_name="Bob", role="PLAYER")
            heard.wait_for(uri)
        assert is_update(heard.messages[0], uri), heard.messages


def test_defect_1_notifications_on_stdio_are_json_rpc(shared):
    """The same notification is a line on stdio."""
    with shared.program.stdio() as pipes:
        pipes.initialize("2024-11-05")
        seat = Seat(pipes)
        seat.subscribe(LIST)
        pipes.send(message("tools/call", {
            "name": "campaign_create", "arguments": {"name": "x", "gm_mode": "AI"},
        }, id="mine"))
        found = [pipes.receive(), pipes.receive()]
    assert any(is_update(one, LIST) for one in found), found


def test_defect_1_notifications_of_the_stateless_era_are_json_rpc(web, seat, evening):
    """subscriptions/listen sends the same notification, with the id of the subscription."""
    with Modern(web).listen({"resourceSubscriptions": [evening.events]}) as stream:
        stream.next_named("notifications/subscriptions/acknowledged")
        seat.roll(evening.session, evening.hero)
        found = stream.next_named("notifications/resources/updated")
    assert found["jsonrpc"] == "2.0" and "id" not in found
    assert found["params"]["uri"] == evening.events


# 2. A minimum latency of 100 ms


def times_of(work, times: int = 41) -> list[float]:
    """Returns how long each of several runs takes, in seconds."""
    taken = []
    for _ in range(times):
        begin = time.perf_counter()
        work()
        taken.append(time.perf_counter() - begin)
    return taken


def floor_of(work) -> float:
    """Returns the shortest time of several runs; other load on the machine only adds to it."""
    return min(times_of(work))


def to_disk(path) -> None:
    """Writes a little and waits until it is on disk."""
    with path.open("ab") as file:
        file.write(b"x" * 4_096)
        file.flush()
        os.fsync(file.fileno())


def test_defect_2_calls_have_no_floor(web, seat):
    """A call takes as long as its work: a small multiple of a health check, not hundreds of times
    as long."""
    health = floor_of(lambda: web.get("/mcp/health"))
    call = floor_of(lambda: seat.do("duality_outcome", hope=8, fear=5))
    assert call < 25 * health, f"call {call * 1000:.1f} ms, health {health * 1000:.1f} ms"


def test_defect_2_recorded_rolls_have_no_floor(web, seat, evening, tmp_path):
    """The same holds for a call that must be on disk before it is answered, apart from the disk's
    own latency."""
    health = floor_of(lambda: web.get("/mcp/health"))
    disk = floor_of(lambda: to_disk(tmp_path / "file"))
    roll = floor_of(lambda: seat.roll(evening.session, evening.hero))
    assert roll < 30 * health + 5 * disk, f"roll {roll}, health {health}, disk {disk}, in seconds"


# 3. Unread notifications

STALL = 8
"""In seconds. Far above what a busy machine adds, far below the 20 seconds of the defect."""


def participants(seat, evening, count: int) -> float:
    """Adds participants, with three notifications each; returns how long the slowest call took."""
    asked = {"campaign_id": evening.id, "display_name": "x", "role": "PLAYER"}
    return max(times_of(lambda: seat.do("participant_create", **asked), count))


def test_defect_3_unread_notifications_do_not_stall_a_call(web, seat, evening):
    """Nobody opens the stream: a hundred unread notifications delay no call."""
    plain = participants(Seat(Session(web).open()), evening, 10)
    seat.subscribe(LIST, evening.uri, f"{evening.uri}/participants")
    slowest = participants(seat, evening, 35)
    assert slowest < STALL + 20 * plain, f"{slowest:.3f} s, without subscriptions {plain:.3f} s"


def test_defect_3_an_open_stream_nobody_reads_does_not_stall_a_call(web, session, seat, evening):
    """The client has opened the stream but does not read it."""
    plain = participants(Seat(Session(web).open()), evening, 10)
    seat.subscribe(LIST, evening.uri, f"{evening.uri}/participants")
    with session.stream():
        slowest = participants(seat, evening, 50)
    assert slowest < STALL + 20 * plain, f"{slowest:.3f} s, without subscriptions {plain:.3f} s"


def test_defect_3_a_late_reader_hears_of_later_changes(session, seat, evening):
    """After many unread notifications the stream still works."""
    seat.subscribe(LIST, evening.uri, f"{evening.uri}/participants", evening.events)
    participants(seat, evening, 20)
    with listening(session) as heard:
        seat.roll(evening.session, evening.hero)
        heard.wait_for(evening.events)


# 4. One context for everybody


def test_defect_4_two_http_clients_have_two_contexts(web):
    """A session does not see what the other sets, and keeps what it sets itself."""
    first, second = Seat(Session(web).open()), Seat(Session(web).open())
    mine = first.do("campaign_create", name="x", gm_mode="AI")["id"]
    first.do("set_context", campaign_id=mine)
    assert second.read("context://current")["context"]["campaign_id"] is None
    assert second.refused("session_start")["field"] == "campaign_id"
    other = second.do("campaign_create", name="y", gm_mode="AI")["id"]
    second.do("set_context", campaign_id=other)
    assert first.read("context://current")["context"]["campaign_id"] == mine
    assert first.do("session_start")["campaign_id"] == mine
    assert second.do("session_start")["campaign_id"] == other


# 5. Records that could not be read


@pytest.fixture(scope="module")
def long_evening(web):
    """A session with more events than fit on two pages; no test adds to it."""
    seat = Seat(Session(web).open())
    evening = Evening(seat)
    for _ in range(105):
        seat.roll(evening.session, evening.hero)
    return evening


def sequences(seat, uri: str) -> list[int]:
    return [event["seq"] for event in seat.read(uri)["events"]]


def test_defect_5_the_newest_events_are_shown(seat, long_evening):
    """Without parameters, the newest hundred of 211 events are shown."""
    assert sequences(seat, long_evening.events) == list(range(211, 111, -1))


def test_defect_5_every_event_is_readable_by_paging(seat, long_evening):
    """Paging with before_seq reaches the first event without gaps or repetitions."""
    found = sequences(seat, f"{long_evening.events}?limit=60")
    while found[-1] > 1:
        found += sequences(seat, f"{long_evening.events}?limit=60&before_seq={found[-1]}")
    assert found == list(range(211, 0, -1))
    assert sequences(seat, f"{long_evening.events}?before_seq=1") == []


def test_defect_5_only_what_is_new_can_be_read(seat, long_evening):
    """after_seq works alone and together with before_seq."""
    assert sequences(seat, f"{long_evening.events}?after_seq=205") == list(range(211, 205, -1))
    assert sequences(seat, f"{long_evening.events}?after_seq=9&before_seq=13") == [12, 11, 10]
    assert sequences(seat, f"{long_evening.events}?after_seq=211") == []


def test_defect_5_who_was_away_catches_up_forward(seat, long_evening):
    """With after_seq alone, a page has the oldest events after it and says where the next page
    begins."""
    found, after, more = [], 0, True
    while more:
        page = seat.read(f"{long_evening.events}?after_seq={after}&limit=60")
        found += [event["seq"] for event in page["events"]][::-1]
        after, more = page["next_after_seq"], page["has_more"]
    assert found == list(range(1, 212))


def test_defect_5_a_page_can_hold_the_whole_evening(seat, long_evening):
    """A larger limit is accepted."""
    assert len(sequences(seat, f"{long_evening.events}?limit=500")) == 211


def test_defect_5_lists_hold_more_than_ten_records(seat, evening):
    """Participants and characters beyond the tenth are listed, and empty lists are not null."""
    for number in range(12):
        seat.do("participant_create", campaign_id=evening.id, display_name=f"p{number}", role="PLAYER")
        seat.do("character_create", campaign_id=evening.id, name=f"c{number}", kind="NPC")
    assert len(seat.read(f"{evening.uri}/participants")["participants"]) == 13
    assert len(seat.read(f"{evening.uri}/characters")["characters"]) == 13
    empty = seat.do("campaign_create", name="x", gm_mode="AI")["id"]
    assert seat.read(f"campaign://{empty}/sessions") == {"sessions": []}


# 6. Changes that nobody was notified of


def sheet(evening) -> str:
    return f"character://{evening.hero}/sheet"


def heard_of(session, seat, evening, work) -> set[str]:
    """Returns the URIs that a subscriber to everything is notified of when `work` runs."""
    parts = [f"{evening.uri}/{part}" for part in ("participants", "characters", "sessions")]
    seat.subscribe(LIST, evening.uri, *parts, evening.events, sheet(evening))
    mark = Evening(seat)
    seat.subscribe(mark.events)
    with listening(session) as heard:
        work()
        # Notifications of concurrent changes come in any order, but before those of the next
        # change.
        for times in (1, 2):
            seat.roll(mark.session, mark.hero)
            heard.wait_for(mark.events, times=times)
    return set(heard.uris()) - {mark.events}


def test_defect_6_applying_hope_notifies_characters_and_campaign(session, seat, evening):
    """Every resource that shows the changed state is notified."""
    rolled = seat.roll(evening.session, evening.hero, rng=replay(HOPE))
    heard = heard_of(session, seat, evening, lambda: seat.do(
        "session_roll_outcome_apply", session_id=evening.session, roll_seq=rolled["roll_seq"]))
    assert heard == {LIST, evening.uri, f"{evening.uri}/characters", sheet(evening), evening.events}


def test_defect_6_applying_fear_notifies_campaign_and_list(session, seat, evening):
    """`gm_fear` is part of the campaign and of the list of campaigns."""
    rolled = seat.roll(evening.session, evening.hero, rng=replay(FEAR))
    heard = heard_of(session, seat, evening, lambda: seat.do(
        "session_roll_outcome_apply", session_id=evening.session, roll_seq=rolled["roll_seq"]))
    assert {LIST, evening.uri, evening.events} <= heard


def test_defect_6_ending_a_session_notifies_its_events(session, seat, evening):
    """SESSION_ENDED is an event like any other."""
    heard = heard_of(session, seat, evening, lambda: seat.do("session_end", session_id=evening.session))
    assert {evening.events, evening.uri, f"{evening.uri}/sessions"} <= heard


def test_defect_6_starting_a_session_notifies_campaign_and_sessions(session, seat, evening):
    """The changed list contains the id of the new session, whose events nobody could subscribe to
    before."""
    seat.do("session_end", session_id=evening.session)
    heard = heard_of(session, seat, evening, lambda: seat.do("session_start", campaign_id=evening.id))
    assert {evening.uri, f"{evening.uri}/sessions", LIST} <= heard


def test_defect_6_a_rejected_roll_notifies_the_events(session, seat, evening):
    """The rejection is an event, too."""
    heard = heard_of(session, seat, evening, lambda: seat.refused(
        "session_action_roll", session_id=evening.session, character_id=evening.hero, trait=" ", difficulty=1))
    assert evening.events in heard


MATRIX = {
    "campaign_update": ({"campaign_id": "id", "name": "New"}, {LIST, "campaign"}),
    "participant_create": ({"campaign_id": "id", "display_name": "Bob", "role": "PLAYER"},
                           {LIST, "campaign", "participants"}),
    "participant_update": ({"participant_id": "alice", "display_name": "Al"}, {"participants"}),
    "character_create": ({"campaign_id": "id", "name": "Gob", "kind": "NPC"}, {LIST, "campaign", "characters"}),
    "character_update": ({"character_id": "hero", "notes": "new"}, {"characters", "events", "sheet"}),
    "character_control_set": ({"campaign_id": "id", "character_id": "hero", "controller": "alice"},
                              {"characters", "events", "sheet"}),
    "character_profile_patch": ({"character_id": "hero", "hp_max": 8}, {"characters", "events", "sheet"}),
    "character_state_patch": ({"character_id": "hero", "hp": 3}, {"characters", "events", "sheet"}),
    "session_action_roll": ({"session_id": "session", "character_id": "hero", "trait": "x", "difficulty": 1},
                            {"events"}),
    "session_note_add": ({"session_id": "session", "text": "x"}, {"events"}),
}


@pytest.mark.parametrize("tool", MATRIX)
def test_defect_6_every_write_notifies_what_it_changes(session, seat, evening, tool):
    """Each tool with the resources that show what it changed."""
    arguments, wanted = MATRIX[tool]
    arguments = {key: getattr(evening, value, value) if isinstance(value, str) else value
                 for key, value in arguments.items()}
    shown = {LIST: LIST, "campaign": evening.uri, "events": evening.events,
             "sheet": sheet(evening)}
    wanted = {shown.get(name, f"{evening.uri}/{name}") for name in wanted}
    heard = heard_of(session, seat, evening, lambda: seat.do(tool, **arguments))
    assert wanted <= heard, (wanted, heard)


def test_defect_6_archiving_notifies_the_list_of_what_is_archived(session, seat, evening):
    """This applies to archiving and to restoring."""
    archive = f"{evening.uri}/archived"
    seat.subscribe(archive)
    for archived in (True, False):
        heard = heard_of(session, seat, evening, lambda: seat.do(
            "participant_update", participant_id=evening.alice, archived=archived))
        assert {archive, f"{evening.uri}/participants", evening.events} <= heard


def test_defect_6_a_part_of_the_log_changes_with_it(session, seat, evening):
    """A subscriber to a part of the log is notified under the URI that they subscribed to."""
    part = f"{evening.events}?after_seq=1"
    seat.subscribe(part)
    with listening(session) as heard:
        seat.roll(evening.session, evening.hero)
        heard.wait_for(part)
    assert set(heard.uris()) == {part}


def test_defect_6_only_subscribers_are_notified(web, seat, evening):
    """A session hears only of what it is subscribed to, and of nothing after unsubscribing."""
    other = Session(web).open()
    silent = Seat(other)
    silent.subscribe(evening.events)
    silent.ask("resources/unsubscribe", {"uri": evening.events})
    silent.subscribe(f"{evening.uri}/participants")
    with listening(other) as heard:
        seat.roll(evening.session, evening.hero)
        seat.do("participant_create", campaign_id=evening.id, display_name="Bob", role="PLAYER")
        heard.wait_for(f"{evening.uri}/participants")
    assert set(heard.uris()) == {f"{evening.uri}/participants"}


# 7. Rolls without a character or session


def roll_refused(seat, **arguments) -> dict:
    return seat.refused("session_action_roll", **{"trait": "agility", "difficulty": 10, **arguments})


def test_defect_7_a_rejected_roll_makes_no_log_for_an_unknown_session(seat, evening):
    """The session is unknown before and after."""
    assert roll_refused(seat, session_id=UNKNOWN, character_id=evening.hero)["code"] == "NOT_FOUND"
    assert seat.refused("session_roll_outcome_apply", session_id=UNKNOWN, roll_seq=1)["code"] == "NOT_FOUND"
    assert seat.unreadable(f"session://{UNKNOWN}/events")["code"] == -32002
    assert seat.refused("session_log_verify", session_id=UNKNOWN)["code"] == "NOT_FOUND"


def test_defect_7_rolls_need_an_existing_character(seat, evening):
    """Nothing is rolled for a character that does not exist."""
    error = roll_refused(seat, session_id=evening.session, character_id="character_" + "a" * 26)
    assert error["code"] == "NOT_FOUND"
    assert "ACTION_ROLL_RESOLVED" not in [event["type"] for event in seat.events(evening.session)]


def test_defect_7_rolls_need_a_character_of_the_campaign(seat, evening):
    """Nothing is rolled for a character of another campaign."""
    stranger = Evening(seat).hero
    error = roll_refused(seat, session_id=evening.session, character_id=stranger)
    assert (error["code"], error["field"]) == ("INVALID_ARGUMENT", "character_id")


def test_defect_7_rolls_need_a_character_that_is_not_archived(seat, evening):
    """An archived character does not act."""
    seat.do("character_update", character_id=evening.hero, archived=True)
    assert roll_refused(seat, session_id=evening.session, character_id=evening.hero)["code"] == "NOT_FOUND"


def test_defect_7_rolls_need_an_active_session(seat, evening):
    """Nothing is rolled in a session that has ended; the hint says what to do."""
    seat.do("session_end", session_id=evening.session)
    error = roll_refused(seat, session_id=evening.session, character_id=evening.hero)
    assert error["code"] == "FAILED_PRECONDITION" and "session_start" in error["hint"]


def test_defect_7_outcomes_need_an_active_session(seat, evening):
    """A roll that was not applied before the end cannot be applied afterwards."""
    rolled = seat.roll(evening.session, evening.hero)
    seat.do("session_end", session_id=evening.session)
    error = seat.refused("session_roll_outcome_apply", session_id=evening.session, roll_seq=rolled["roll_seq"])
    assert error["code"] == "FAILED_PRECONDITION"


def test_defect_7_a_rejection_in_a_session_that_exists_is_recorded(seat, evening):
    """REQUEST_REJECTED has the tool and the reason, and takes the next place in the log."""
    roll_refused(seat, session_id=evening.session, character_id=evening.hero, trait=" ")
    rejected = seat.events(evening.session)[-1]
    assert (rejected["type"], rejected["seq"]) == ("REQUEST_REJECTED", 2)
    found = payload(rejected)
    assert (found["rpc"], found["reason_code"]) == ("session_action_roll", "INVALID_ARGUMENT")
    assert "trait" in found["message"]


def test_defect_7_an_outcome_needs_a_roll(seat, evening):
    """Neither another event nor a missing one is a roll."""
    first = seat.refused("session_roll_outcome_apply", session_id=evening.session, roll_seq=1)
    assert first["code"] == "FAILED_PRECONDITION" and "SESSION_STARTED" in first["message"]
    assert seat.refused("session_roll_outcome_apply", session_id=evening.session, roll_seq=99)["code"] == "NOT_FOUND"


# 8. Error codes, number ranges, maximums


@pytest.mark.parametrize(("method", "params", "code"), [
    ("resources/read", {"uri": f"campaign://camp_{'a' * 26}"}, -32002),
    ("resources/read", {"uri": f"session://{UNKNOWN}/events"}, -32002),
    ("resources/read", {"uri": f"campaign://camp_{'a' * 26}/participants"}, -32002),
    ("resources/read", {"uri": "campaign://camp_nope"}, -32602),
    ("resources/read", {"uri": "campaign://%20"}, -32602),
    ("resources/subscribe", {"uri": "campaign://"}, -32002),
    ("resources/subscribe", {"uri": ""}, -32002),
    ("campaign/list", {}, -32601),
    ("resources/nothing", None, -32601),
    ("tools/call", {"name": "campaign_delete", "arguments": {}}, -32602),
])
def test_defect_8_no_error_has_code_zero(seat, method, params, code):
    """Resource errors and unknown methods have the codes of JSON-RPC and MCP."""
    assert seat.ask(method, params)["error"]["code"] == code


@pytest.mark.parametrize(("tool", "arguments", "field"), [
    ("roll_dice", {"dice": [{"sides": 2**32 + 6, "count": 1}]}, "dice[0].sides"),
    ("roll_dice", {"dice": [{"sides": 6, "count": 2**32 + 1}]}, "dice[0].count"),
    ("duality_action_roll", {"modifier": 2**31 - 1}, "modifier"),
    ("duality_outcome", {"hope": 2**32 + 8, "fear": 5}, "hope"),
    ("duality_probability", {"difficulty": 2**32 + 15}, "difficulty"),
    ("session_action_roll", {"difficulty": 2**32 + 10}, "difficulty"),
    ("session_action_roll", {"difficulty": 2**63 - 1}, "difficulty"),
    ("session_action_roll", {"modifiers": [{"source": "x", "value": 2**31 - 1}]}, "modifiers[0].value"),
    ("session_action_roll", {"modifiers": [{"source": "x", "value": 10**6}] * 2}, "modifiers"),
    ("character_profile_patch", {"hp_max": 2**32 + 6}, "hp_max"),
    ("character_profile_patch", {"evasion": 2**32 + 6}, "evasion"),
    ("character_profile_patch", {"traits": {"agility": 2**32 + 1}}, "traits.agility"),
    ("character_state_patch", {"hope": 2**32 + 1}, "hope"),
    ("character_state_patch", {"hp": 2**63}, "hp"),
])
def test_defect_8_numbers_beyond_32_bits_are_refused(seat, evening, tool, arguments, field):
    """Nothing wraps around: the error names the field that is too large."""
    if tool.startswith(("session", "character")):
        arguments = {"character_id": evening.hero, **arguments}
    if tool.startswith("session"):
        arguments = {"session_id": evening.session, "trait": "x", "difficulty": 1, **arguments}
    error = seat.refused(tool, **arguments)
    assert (error["code"], error["field"]) == ("INVALID_ARGUMENT", field)


def test_defect_8_a_roll_seq_does_not_wrap_around(seat, evening):
    """The sequence number of a roll plus 2**32 is not that roll."""
    rolled = seat.roll(evening.session, evening.hero)
    error = seat.refused("session_roll_outcome_apply", session_id=evening.session,
                         roll_seq=rolled["roll_seq"] + 2**32)
    assert error["code"] == "NOT_FOUND"


def test_defect_8_a_limit_is_named_with_both_ends(seat, evening):
    """The hint for a number that is too large names the upper limit."""
    error = roll_refused(seat, session_id=evening.session, character_id=evening.hero, difficulty=2**32)
    assert "1000000" in error["hint"], error


def test_defect_8_lowering_hp_max_takes_hp_with_it(seat, evening):
    """`hp` never exceeds `hp_max`, and the answer says what was clamped."""
    seat.do("character_profile_patch", character_id=evening.hero, hp_max=12)
    seat.do("character_state_patch", character_id=evening.hero, hp=10)
    patched = seat.do("character_profile_patch", character_id=evening.hero, hp_max=5)
    assert patched["clamped"] == [{"field": "hp", "before": 10, "after": 5}]
    sheet = seat.do("character_sheet_get", character_id=evening.hero)
    assert (sheet["state"]["hp"], sheet["profile"]["hp_max"]) == (5, 5)


def test_defect_8_lowering_stress_max_takes_stress_with_it(seat, evening):
    """The same holds for stress; the event has the change."""
    seat.do("character_state_patch", character_id=evening.hero, stress=6)
    patched = seat.do("character_profile_patch", character_id=evening.hero, stress_max=2)
    assert patched["clamped"] == [{"field": "stress", "before": 6, "after": 2}]
    changes = payload(seat.events(evening.session)[-1])["applied_changes"]
    assert {"character_id": evening.hero, "field": "stress", "before": 6, "after": 2} in changes


def fear_of(seat, evening) -> int:
    return seat.read(evening.uri)["campaign"]["gm_fear"]


def apply(seat, evening, seed: int) -> dict:
    rolled = seat.roll(evening.session, evening.hero, rng=replay(seed))
    return seat.do("session_roll_outcome_apply", session_id=evening.session, roll_seq=rolled["roll_seq"])


def test_defect_8_at_twelve_fear_a_fear_roll_applies_and_stays_twelve(seat, evening):
    """Fear is at its maximum: the roll counts, a complication is required, and twelve remain."""
    for number in range(1, 13):
        assert apply(seat, evening, FEAR)["updated"]["gm_fear"] == number
    thirteenth = apply(seat, evening, FEAR)
    assert thirteenth["requires_complication"] is True
    assert thirteenth["updated"].get("gm_fear", 12) == 12
    assert fear_of(seat, evening) == 12
    assert payload(seat.events(evening.session)[-1])["applied_changes"] == []


def test_defect_8_hope_stays_in_range(seat, evening):
    """At six Hope a Hope roll applies and Hope stays six; a critical does not make stress
    negative."""
    seat.do("character_state_patch", character_id=evening.hero, hope=6, stress=0)
    for seed in (HOPE, CRIT):
        (state,) = apply(seat, evening, seed)["updated"]["character_states"]
        assert (state["hope"], state["stress"]) == (6, 0)


def test_defect_8_a_critical_gives_hope_and_clears_stress(seat, evening):
    """It does both, adds no Fear and requires no complication."""
    seat.do("character_state_patch", character_id=evening.hero, hope=2, stress=3)
    applied = apply(seat, evening, CRIT)
    (state,) = applied["updated"]["character_states"]
    assert (state["hope"], state["stress"]) == (3, 2)
    assert applied["requires_complication"] is False and fear_of(seat, evening) == 0
