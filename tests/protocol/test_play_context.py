"""The context: each session has its own, clients without sessions use handles, and nobody sees
another's."""

import json

import pytest

from harness.rpc import message
from harness.table import Cast, Game, Seat, listening
from harness.web import Cookies, Modern, Session

CURRENT = "context://current"
NOTHING = {"context": {"campaign_id": None, "session_id": None, "participant_id": None}}


@pytest.fixture
def gail(cast):
    """The GM in a session without a context."""
    return cast.seat("gail")


@pytest.fixture
def modern(cast):
    """The GM as a client without sessions."""
    return Seat(Modern(cast.http("gail")))


def with_token(cast: Cast, name: str, **headers: str):
    return cast.server.client(authorization=f"Bearer {cast.tokens[name]}", **headers)


# Sessions


def test_a_new_session_has_no_context(gail):
    """Everything is null before `set_context`."""
    assert gail.read(CURRENT) == NOTHING


def test_the_context_is_shown_as_it_was_set(gail, game):
    """All three parts are shown, and a part that is left out is null again."""
    wanted = {"campaign_id": game.id, "session_id": game.session, "participant_id": game.seats["gail"]}
    gail.do("set_context", **wanted)
    assert gail.read(CURRENT) == {"context": wanted}
    gail.do("set_context", campaign_id=game.id)
    assert gail.read(CURRENT) == {"context": {**NOTHING["context"], "campaign_id": game.id}}


def test_two_sessions_of_one_person_have_two_contexts(cast, gail, game):
    """The context belongs to the session, not to the person."""
    other = cast.seat("gail")
    gail.do("set_context", campaign_id=game.id)
    assert other.read(CURRENT) == NOTHING


def test_two_cookies_have_two_contexts(cast, game):
    """Clients that only use cookies are told apart by them."""
    with with_token(cast, "gail") as one, with_token(cast, "gail") as two:
        first, second = Seat(Cookies(one)), Seat(Cookies(two))
        first.do("set_context", campaign_id=game.id, session_id=game.session)
        assert first.read(CURRENT)["context"]["session_id"] == game.session
        assert second.read(CURRENT) == NOTHING


def test_cookie_and_header_of_one_session_share_its_context(cast, gail, game):
    """The session is the same, however it is named."""
    gail.do("set_context", campaign_id=game.id)
    with with_token(cast, "gail", cookie=f"mcp_session={gail.client.id}") as http:
        assert Seat(Cookies(http)).read(CURRENT)["context"]["campaign_id"] == game.id


def test_an_ended_session_takes_its_context_with_it(cast, gail, game):
    """After DELETE, the next session starts without a context."""
    gail.do("set_context", campaign_id=game.id)
    gail.client.end()
    assert cast.seat("gail").read(CURRENT) == NOTHING


def test_two_stdio_processes_have_two_contexts(shared):
    """On stdio, the process is the session."""
    with shared.program.stdio() as one, shared.program.stdio() as two:
        one.initialize()
        two.initialize()
        first, second = Seat(one), Seat(two)
        campaign = first.do("campaign_create", name="x", gm_mode="AI")["id"]
        first.do("set_context", campaign_id=campaign)
        assert first.read(CURRENT)["context"]["campaign_id"] == campaign
        assert second.read(CURRENT) == NOTHING


def test_stdio_and_http_have_two_contexts(shared, web):
    """Sessions on different transports are different, even with the same person and store."""
    with shared.program.stdio() as pipes:
        pipes.initialize()
        on_stdio, on_http = Seat(pipes), Seat(Session(web).open())
        campaign = on_http.do("campaign_create", name="x", gm_mode="AI")["id"]
        on_http.do("set_context", campaign_id=campaign)
        assert on_stdio.read(CURRENT) == NOTHING
        on_stdio.do("set_context", campaign_id=campaign)
        on_stdio.do("session_start")
        assert on_http.read(f"campaign://{campaign}/sessions")["sessions"][0]["status"] == "ACTIVE"


def test_a_context_ends_with_the_process(server):
    """The session survives a restart but its context does not; the error says what to do."""
    with server.client() as http:
        session = Session(http).open()
        seat = Seat(session)
        seat.do("set_context", campaign_id=seat.do("campaign_create", name="x", gm_mode="AI")["id"])
    server.kill()
    server.start()
    with server.client() as http:
        session.http = http
        assert seat.read(CURRENT) == NOTHING
        assert "set_context" in seat.refused("session_start")["hint"]


# What the context is used for


def test_tools_fall_back_to_the_context(gail, game):
    """Roll, apply, note, verify and end work without naming the session."""
    gail.do("set_context", campaign_id=game.id, session_id=game.session)
    rolled = gail.do("session_action_roll", character_id=game.ana, trait="agility", difficulty=9)
    gail.do("session_roll_outcome_apply", roll_seq=rolled["roll_seq"])
    gail.do("session_note_add", text="x")
    assert gail.do("session_log_verify")["events"] == 6
    assert gail.do("session_end")["id"] == game.session


def test_explicit_ids_win_over_the_context(cast, gail, game):
    """If a call names a session, that one is used."""
    other = Game(cast)
    gail.do("set_context", campaign_id=game.id, session_id=game.session)
    assert gail.do("session_end", session_id=other.session)["campaign_id"] == other.id
    assert gail.do("session_log_verify")["events"] == 1


def test_a_context_may_point_to_a_session_that_has_ended(gail, game):
    """Ending a session does not clear the context; calls that need a running session say so."""
    gail.do("set_context", campaign_id=game.id, session_id=game.session)
    gail.do("session_end")
    assert gail.read(CURRENT)["context"]["session_id"] == game.session
    error = gail.refused("session_action_roll", character_id=game.ana, trait="x", difficulty=1)
    assert error["code"] == "FAILED_PRECONDITION"
    assert gail.do("session_start")["campaign_id"] == game.id


def test_the_participant_of_the_context_is_in_the_events(game):
    """Events record who acted."""
    game.gail.roll(game.session, game.ana)
    game.bob.roll(game.session, game.bor)
    acted = [event["participant_id"] for event in game.gail.events(game.session)[1:]]
    assert acted == [game.seats["gail"]] * 2 + [game.seats["bob"]] * 2


def test_the_context_limits_sheets_to_its_campaign(cast, gail, game):
    """A character of another campaign is refused, and the error names the field."""
    other = Game(cast)
    gail.do("set_context", campaign_id=game.id)
    error = gail.refused("character_sheet_get", character_id=other.ana)
    assert (error["code"], error["field"]) == ("INVALID_ARGUMENT", "character_id")


# Parts that do not match


@pytest.mark.parametrize("part", ["session_id", "participant_id"])
def test_parts_of_another_campaign_are_refused(cast, gail, game, part):
    """The session and the participant must belong to the campaign."""
    other = Game(cast)
    foreign = {"session_id": other.session, "participant_id": other.seats["gail"]}[part]
    error = gail.refused("set_context", campaign_id=game.id, **{part: foreign})
    assert (error["code"], error["field"]) == ("INVALID_ARGUMENT", part)
    assert gail.read(CURRENT) == NOTHING


@pytest.mark.parametrize("part", ["campaign_id", "session_id", "participant_id"])
def test_swapped_ids_are_refused(gail, game, part):
    """The id of a character is not valid as another id, and the error says what it is."""
    arguments = {"campaign_id": game.id, part: game.ana}
    error = gail.refused("set_context", **arguments)
    assert error["field"] == part and "character" in error["message"]


def test_archived_things_are_no_context(gail, game):
    """Archived things are not found."""
    gail.do("participant_update", participant_id=game.seats["bob"], archived=True)
    assert gail.refused("set_context", campaign_id=game.id, participant_id=game.seats["bob"])["code"] == "NOT_FOUND"


# Handles for clients without sessions


def test_a_stateless_client_has_no_context_of_its_own(modern, game):
    """What a client sets does not apply to its next request, unless that gives the handle."""
    modern.do("set_context", campaign_id=game.id, session_id=game.session)
    assert modern.read(CURRENT) == NOTHING
    assert modern.refused("session_end")["field"] == "session_id"


def with_handle(game: Game) -> dict[str, dict]:
    """Returns calls that leave everything possible to the context, in an order in which they
    work."""
    return {
        "character_sheet_get": {"character_id": game.ana},
        "character_profile_patch": {"character_id": game.ana, "hp_max": 8},
        "character_state_patch": {"character_id": game.ana, "hp": 3},
        "session_action_roll": {"character_id": game.ana, "trait": "agility", "difficulty": 9},
        "session_roll_outcome_apply": {"roll_seq": 5},
        "session_effect_apply": {"fear": 1},
        "session_note_add": {"text": "x"},
        "session_recap": {},
        "session_log_verify": {},
        "session_end": {},
        "session_start": {},
    }


def test_every_tool_with_a_context_takes_a_handle(cast, modern, game):
    """A whole session without an MCP session: each call has the `context_id`."""
    handle = modern.do("set_context", campaign_id=game.id, session_id=game.session)["context_id"]
    calls = with_handle(game)
    taking = {tool["name"] for tool in cast.program.tools("--toolsets", "play")
              if "context_id" in tool["inputSchema"]["properties"]}
    assert taking == set(calls)
    for tool, arguments in calls.items():
        modern.do(tool, context_id=handle, **arguments)


def test_two_handles_are_two_contexts(cast, modern, game):
    """A second `set_context` does not change the meaning of the first handle."""
    other = Game(cast)
    first = modern.do("set_context", campaign_id=game.id, session_id=game.session)["context_id"]
    second = modern.do("set_context", campaign_id=other.id, session_id=other.session)["context_id"]
    assert first != second
    assert modern.do("session_end", context_id=first)["id"] == game.session
    assert modern.do("session_end", context_id=second)["id"] == other.session


def test_a_handle_wins_over_the_context_of_the_session(cast, gail, game):
    """If a call gives a handle, that context is used."""
    other = Game(cast)
    handle = gail.do("set_context", campaign_id=other.id, session_id=other.session)["context_id"]
    gail.do("set_context", campaign_id=game.id, session_id=game.session)
    assert gail.do("session_end", context_id=handle)["id"] == other.session


def test_the_participant_of_a_handle_counts(cast, game):
    """Permissions depend on the participant, also without a session: Alice may roll for Ana and for
    nobody else."""
    alice = Seat(Modern(cast.http("alice")))
    handle = game.take(alice, "alice")["context_id"]
    arguments = {"trait": "agility", "difficulty": 9, "context_id": handle}
    alice.do("session_action_roll", character_id=game.ana, **arguments)
    error = alice.refused("session_action_roll", character_id=game.bor, **arguments)
    assert error["code"] == "PERMISSION_DENIED"


@pytest.mark.parametrize("thief", ["alice", "ray"])
def test_the_handle_of_another_is_unknown(cast, game, thief):
    """It looks like one that never existed: the errors differ only in the handle itself."""
    handle = game.take(game.gail, "gail")["context_id"]
    never = "ctx_" + "0" * (len(handle) - 4)
    for seat in (cast.seat(thief), Seat(Modern(cast.http(thief)))):
        stolen, unknown = (seat.refused("session_log_verify", context_id=id) for id in (handle, never))
        assert stolen["code"] == "NOT_FOUND"
        assert json.dumps(stolen).replace(handle, never) == json.dumps(unknown)


def test_a_handle_is_of_one_world(cast, game):
    """The same person in another world does not find it."""
    cast.program.ok("world", "create", "Elsewhere")
    token = cast.program.ok("--world", "Elsewhere", "token", "create", "--role", "gm", "--name", "gail").strip()
    handle = game.take(game.gail, "gail")["context_id"]
    with cast.server.client(authorization=f"Bearer {token}") as http:
        error = Seat(Modern(http)).refused("session_log_verify", context_id=handle)
    assert error["code"] == "NOT_FOUND"


@pytest.mark.parametrize("handle", ["", " ", "ctx_nope", "x" * 5000])
def test_an_odd_handle_is_not_found(modern, handle):
    """The hint says how to get a valid one."""
    error = modern.refused("session_end", context_id=handle)
    assert error["code"] == "NOT_FOUND" and "set_context" in error["hint"]


def test_a_handle_leads_to_what_was_set(modern, cast, game):
    """A client without sessions reads its context by its handle; another's handle is not found."""
    handle = modern.do("set_context", campaign_id=game.id)["context_id"]
    uri = f"{CURRENT}?context_id={handle}"
    assert modern.read(uri) == {
        "context": {"campaign_id": game.id, "session_id": None, "participant_id": None},
    }
    other = Seat(Modern(cast.http("bob")))
    assert other.unreadable(uri)["data"]["code"] == "NOT_FOUND"


def test_a_handle_cannot_be_guessed(modern, game):
    """It is not a counter: two in a row share at most their timestamp."""
    first, second = (modern.do("set_context", campaign_id=game.id)["context_id"] for _ in range(2))
    assert first[-12:] != second[-12:]


# Notifications


def test_only_the_session_that_set_it_is_notified(cast, game):
    """Everybody subscribes to context://current, one session changes its own, and only that one is
    notified."""
    sessions = [Session(cast.http("gail")).open() for _ in range(2)] + [Session(cast.http("bob")).open()]
    mine, *others = [Seat(session) for session in sessions]
    for seat in (mine, *others):
        seat.subscribe(CURRENT, f"{game.uri}/participants")
    with listening(sessions[0]) as heard, listening(sessions[1]) as first, listening(sessions[2]) as second:
        mine.do("set_context", campaign_id=game.id)
        heard.wait_for(CURRENT)
        game.gail.do("participant_create", campaign_id=game.id, display_name="x", role="PLAYER")
        for listener in (heard, first, second):
            listener.wait_for(f"{game.uri}/participants")
        assert heard.uris().count(CURRENT) == 1
        assert CURRENT not in first.uris() + second.uris()


def test_without_a_subscription_nothing_is_said(gail, game):
    """`set_context` notifies subscribers only."""
    gail.subscribe(f"{game.uri}/participants")
    with listening(gail.client) as heard:
        gail.do("set_context", campaign_id=game.id)
        game.gail.do("participant_create", campaign_id=game.id, display_name="x", role="PLAYER")
        heard.wait_for(f"{game.uri}/participants")
        assert CURRENT not in heard.uris()


def test_a_failed_set_context_notifies_nobody(gail, game):
    """Nothing changed, so nobody is notified."""
    gail.subscribe(CURRENT, f"{game.uri}/participants")
    with listening(gail.client) as heard:
        gail.refused("set_context", campaign_id=game.id, session_id="sess_nope")
        game.gail.do("participant_create", campaign_id=game.id, display_name="x", role="PLAYER")
        heard.wait_for(f"{game.uri}/participants")
        assert CURRENT not in heard.uris()


def test_stdio_is_notified_of_its_context(shared):
    """The notification comes on the only connection there is."""
    with shared.program.stdio() as pipes:
        pipes.initialize()
        seat = Seat(pipes)
        campaign = seat.do("campaign_create", name="x", gm_mode="AI")["id"]
        seat.subscribe(CURRENT)
        pipes.send(message("tools/call", {
            "name": "set_context", "arguments": {"campaign_id": campaign},
        }, id="mine"))
        found = [pipes.receive(), pipes.receive()]
    assert {"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": CURRENT}} in found
