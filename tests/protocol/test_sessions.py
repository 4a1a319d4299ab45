"""Sessions of the older revisions: opened, owned, resumed and ended."""

import json
import time

import httpx2
import pytest

from harness.rpc import (
    LEGACY_VERSIONS,
    answer_of,
    error_of,
    initialize_params,
    message,
    result_of,
    tool_names,
)
from harness.stage import CHANGES
from harness.table import at_once
from harness.web import BOTH, Modern, Session

WORLDS = "lorewell://worlds"
UNKNOWN = "11111111-2222-4333-8444-555555555555"
DICE = {"hope": 8, "fear": 5, "modifier": 2, "difficulty": 15}
LIST = message("tools/list", {}, id=7)
WATCHED = ["campaigns://list", WORLDS]


def assert_unknown_session(answer):
    """Asserts a 404 with a JSON-RPC error, which the protocol requires for an unknown session."""
    assert answer.status_code == 404, answer.text
    assert answer.headers["content-type"] == "application/json"
    error = error_of(answer.json())
    assert error["code"] == -32001 and "initialize" in error["message"]


@pytest.mark.parametrize("version", LEGACY_VERSIONS)
def test_a_session_lives_from_initialize_to_delete(web, version):
    """Each older revision works: initialize, call and DELETE, after which the session is
    unknown."""
    session = Session(web, version).open()
    assert session.opened["protocolVersion"] == version
    answer = session.call("duality_outcome", DICE)
    assert answer["structuredContent"]["outcome"] == "SUCCESS_WITH_HOPE"
    assert session.end().status_code == 204
    assert_unknown_session(session.post(LIST))


def test_an_unknown_revision_is_answered_with_one_we_speak(web):
    """A client that asks for an unknown revision gets the newest one with sessions."""
    session = Session(web, "1999-01-01")
    answer = session.post(
        message(
            "initialize",
            {
                "protocolVersion": "1999-01-01",
                "capabilities": {},
                "clientInfo": {"name": "x", "version": "0"},
            },
        )
    )
    assert result_of(answer_of(answer))["protocolVersion"] == LEGACY_VERSIONS[-1]


def test_answers_are_event_streams_for_clients_that_read_them(web):
    """With the Accept header that the protocol prescribes, a session's answer is an event
    stream."""
    answer = Session(web).open().post(LIST)
    assert answer.headers["content-type"].startswith("text/event-stream")


def test_an_unknown_session_header_is_refused(web):
    """Mcp-Session-Id with an unknown id: 404 and a JSON-RPC error with the request's id."""
    answer = web.post("/mcp", json=LIST, headers={"accept": BOTH, "mcp-session-id": UNKNOWN})
    assert_unknown_session(answer)
    assert answer.json()["id"] == 7
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("verb", ["GET", "DELETE"])
def test_an_unknown_session_is_refused_for_streams_and_endings(web, verb):
    """GET and DELETE answer for an unknown session as POST does."""
    headers = {"accept": "text/event-stream", "mcp-session-id": UNKNOWN}
    assert_unknown_session(web.request(verb, "/mcp", headers=headers))


@pytest.mark.parametrize("id", ["", "x" * 5000, "a\tb", "../../etc/passwd", "%00", "é".encode()])
def test_odd_session_ids_are_merely_unknown(web, id):
    """Whatever the header contains, the answer is that for an unknown session."""
    headers = {"accept": BOTH, "mcp-session-id": id}
    assert_unknown_session(web.post("/mcp", json=LIST, headers=headers))


def test_two_sessions_do_not_share_ids(web):
    """Every initialize opens a new session."""
    assert Session(web).open().id != Session(web).open().id


def test_initialize_with_an_old_cookie_opens_a_new_session(server):
    """An initialize never joins the session in its cookie."""
    with server.client() as http:
        first = Session(http).open()
        assert http.cookies["mcp_session"] == first.id
        second = Session(http).open()
        assert second.id != first.id and http.cookies["mcp_session"] == second.id


def test_a_cookie_alone_keeps_the_session(server):
    """A client that only uses cookies stays in one session."""
    with server.client() as http:
        first = http.post("/mcp", json=LIST)
        opened = http.cookies["mcp_session"]
        second = http.post("/mcp", json=LIST)
        assert first.status_code == second.status_code == 200
        assert "set-cookie" not in second.headers and http.cookies["mcp_session"] == opened


def test_an_unknown_cookie_gets_a_new_session_silently(server):
    """With an expired cookie, the request is answered and a new cookie set."""
    with server.client() as http:
        answer = http.post("/mcp", json=LIST, headers={"cookie": f"mcp_session={UNKNOWN}"})
        assert answer.status_code == 200 and len(answer.json()["result"]["tools"]) >= 6
        assert http.cookies["mcp_session"] != UNKNOWN


def test_the_health_cookie_is_the_id_of_the_session(server):
    """The cookie that health sets becomes the session, and no other one is set."""
    with server.client() as http:
        kept = {"cookie": f"mcp_session={http.get('/mcp/health').cookies['mcp_session']}"}
        http.cookies.clear()
        answers = [http.post("/mcp", json=LIST, headers=kept) for _ in range(3)]
        assert all(answer.status_code == 200 for answer in answers)
        assert all("set-cookie" not in answer.headers for answer in answers)
        assert http.delete("/mcp", headers=kept).status_code == 204, "it was a session"
        again = http.post("/mcp", json=LIST, headers=kept)
        assert again.status_code == 200 and "set-cookie" in again.headers, "what ended stays ended"


def test_initialize_takes_the_health_cookie_for_its_session(server):
    """There is one cookie from the first request on; a second initialize opens another session."""
    with server.client() as http:
        given = http.get("/mcp/health").cookies["mcp_session"]
        assert Session(http).open().id == given == http.cookies["mcp_session"]
        assert Session(http).open().id != given


def test_one_health_cookie_is_one_session_for_all_who_come_at_once(server):
    """Concurrent requests with a cookie that is no session yet share the session that they open."""
    with server.client() as http:
        kept = {"cookie": f"mcp_session={http.get('/mcp/health').cookies['mcp_session']}"}

        def ask(number: int):
            with server.client() as own:
                return own.post("/mcp", json=message("tools/list", {}, id=number), headers=kept)

        answers = at_once([lambda number=number: ask(number) for number in range(8)])
        assert all(answer.status_code == 200 for answer in answers)
        assert all("set-cookie" not in answer.headers for answer in answers)


@pytest.mark.parametrize(
    "line", ["name=J\u00fcrgen; mcp_session={}", 'mcp_session="{}"', "mcp_session=x; mcp_session={}"]
)
def test_the_cookie_is_found_beside_others(server, line):
    """The session's cookie is found whatever other cookies contain."""
    with server.client() as http:
        opened = http.post("/mcp", json=LIST).cookies["mcp_session"]
        http.cookies.clear()
        cookie = line.format(opened).encode()
        answer = http.post("/mcp", json=LIST, headers=[(b"cookie", cookie)])
        assert answer.status_code == 200 and "set-cookie" not in answer.headers


def test_deleting_by_cookie_ends_the_session(server):
    """DELETE with the cookie ends the session, which is unknown afterwards."""
    with server.client() as http:
        http.post("/mcp", json=LIST)
        opened = http.cookies["mcp_session"]
        assert http.delete("/mcp").status_code == 204
        assert_unknown_session(http.post("/mcp", json=LIST, headers={"mcp-session-id": opened}))


def test_the_event_stream_opens(web):
    """GET /mcp in a session is an event stream that stays open."""
    session = Session(web).open()
    with session.stream() as stream:
        assert stream.response.status_code == 200


def test_the_event_stream_opens_for_a_cookie_without_accept(server):
    """A simple client gets the stream without an Accept header, and even without a cookie."""
    with server.client() as http:
        with http.stream("GET", "/mcp") as answer:
            assert answer.status_code == 200
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert "mcp_session=" in answer.headers["set-cookie"]


def test_a_foreign_session_answers_like_an_unknown_one(program, serve):
    """With Alice's session id, Bob learns nothing, not even that the session exists."""
    alice, bob = program.token("player", "alice"), program.token("player", "bob")
    server = serve()
    with server.client(authorization=f"Bearer {alice}") as http:
        session = Session(http).open()
        stolen = dict(session.headers)
    with server.client(authorization=f"Bearer {bob}") as http:
        tried = http.post("/mcp", json=LIST, headers=stolen)
        unknown = http.post("/mcp", json=LIST, headers={**stolen, "mcp-session-id": UNKNOWN})
        assert_unknown_session(tried)
        same = [
            (a.status_code, a.content, sorted(set(a.headers) - {"date"})) for a in (tried, unknown)
        ]
        assert same[0] == same[1]
        assert_unknown_session(http.get("/mcp", headers=stolen))
        assert_unknown_session(http.delete("/mcp", headers=stolen))
        by_cookie = http.post("/mcp", json=LIST, headers={"cookie": f"mcp_session={session.id}"})
        assert by_cookie.status_code == 200
        assert session.id not in by_cookie.headers["set-cookie"], "a new session, not Alice's"
    with server.client(authorization=f"Bearer {alice}") as http:
        assert http.post("/mcp", json=LIST, headers=stolen).status_code == 200, "untouched"


def test_a_second_token_of_the_same_person_may_use_the_session(program, serve):
    """Sessions belong to a person, not to one of their tokens."""
    first, second = program.token("player", "alice"), program.token("player", "alice")
    server = serve()
    with server.client(authorization=f"Bearer {first}") as http:
        session = Session(http).open()
    with server.client(authorization=f"Bearer {second}") as http:
        assert http.post("/mcp", json=LIST, headers=session.headers).status_code == 200


def test_a_session_survives_a_kill_by_header(server):
    """After kill -9 and a restart, the client continues as if nothing had happened."""
    with server.client() as http:
        session = Session(http).open()
    server.kill()
    server.start()
    with server.client() as http:
        session.http = http
        assert len(session.request("tools/list")["tools"]) >= 6
        assert session.call("duality_outcome", DICE)["structuredContent"]["total"] == 15
        assert session.end().status_code == 204


def test_a_session_survives_a_kill_by_cookie(server):
    """The cookie from before the kill is still valid; no new one is set."""
    with server.client() as http:
        http.post("/mcp", json=LIST)
        cookie = http.cookies["mcp_session"]
    server.kill()
    server.start()
    with server.client(cookie=f"mcp_session={cookie}") as http:
        answer = http.post("/mcp", json=LIST)
        assert answer.status_code == 200 and "set-cookie" not in answer.headers


def test_an_ended_session_stays_ended_after_a_restart(server):
    """The store remembers the DELETE."""
    with server.client() as http:
        session = Session(http).open()
        session.end()
    server.kill()
    server.start()
    with server.client() as http:
        session.http = http
        assert_unknown_session(session.post(LIST))


def test_a_foreign_session_is_unknown_after_a_restart_too(program, serve):
    """The owner of a session is stored with it."""
    alice, bob = program.token("player", "alice"), program.token("player", "bob")
    server = serve()
    with server.client(authorization=f"Bearer {alice}") as http:
        session = Session(http).open()
    server.kill()
    server.start()
    with server.client(authorization=f"Bearer {bob}") as http:
        assert_unknown_session(http.post("/mcp", json=LIST, headers=session.headers))
    with server.client(authorization=f"Bearer {alice}") as http:
        assert http.post("/mcp", json=LIST, headers=session.headers).status_code == 200


@pytest.mark.parametrize("uri", WATCHED)
def test_a_subscriber_hears_of_changes(server, program, uri):
    """resources/updated arrives on the event stream when another process changes something."""
    with server.client() as http:
        session = Session(http).open()
        session.request("resources/subscribe", {"uri": uri})
        with session.stream() as stream:
            program.ok(*CHANGES[uri])
            update = stream.next_named("notifications/resources/updated")
            assert update["params"] == {"uri": uri}


def test_who_unsubscribed_hears_nothing(server, program):
    """After resources/unsubscribe, others are notified of a change and this session is not."""
    uri = "campaigns://list"
    with server.client() as http:
        leaving, staying = Session(http).open(), Session(http).open()
        for session in (leaving, staying):
            session.request("resources/subscribe", {"uri": uri})
        leaving.request("resources/unsubscribe", {"uri": uri})
        with leaving.stream(silence=1) as silent, staying.stream() as stream:
            program.ok(*CHANGES[uri])
            stream.next_named("notifications/resources/updated")
            with pytest.raises(httpx2.ReadTimeout):
                silent.next_named("notifications/resources/updated")


@pytest.mark.parametrize("uri", WATCHED)
def test_subscriptions_survive_a_kill(server, program, uri):
    """A session's subscriptions survive kill -9."""
    with server.client() as http:
        session = Session(http).open()
        session.request("resources/subscribe", {"uri": uri})
    server.kill()
    server.start()
    with server.client() as http:
        session.http = http
        with session.stream() as stream:
            program.ok(*CHANGES[uri])
            update = stream.next_named("notifications/resources/updated")
            assert update["params"] == {"uri": uri}


def test_subscribing_to_what_cannot_be_read_is_refused(web):
    """A mistyped URI is noticed at once."""
    error = error_of(Session(web).open().ask("resources/subscribe", {"uri": "lorewell://wrlds"}))
    assert error["code"] == -32002 and "lorewell://wrlds" in error["message"]


def test_the_number_of_sessions_is_limited(serve):
    """Beyond --max-sessions, a client is told to come back later, and open sessions continue."""
    server = serve("--max-sessions", "3")
    with server.client() as http:
        sessions = [Session(http).open() for _ in range(3)]
        http.cookies.clear()
        refused = http.post("/mcp", json=LIST)
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) > 0
        assert error_of(refused.json())["code"] == -32603
        assert tool_names(sessions[0].request("tools/list"))
        assert sessions[1].end().status_code == 204
        assert http.post("/mcp", json=LIST).status_code == 200


def test_nobody_keeps_the_others_out(program, serve):
    """A person who takes all sessions loses some to others who have fewer, and has to wait for
    more."""
    tokens = {name: program.token("reader", name) for name in ("mallory", "alice")}
    server = serve("--max-sessions", "6")
    with server.client(authorization=f"Bearer {tokens['mallory']}") as http:
        for _ in range(6):
            Session(http).open()
        http.cookies.clear()
        refused = http.post("/mcp", json=message("initialize", initialize_params("2025-06-18")))
        assert refused.status_code == 503
        # No session is dropped by itself before it has been idle for an hour.
        assert 3000 < int(refused.headers["retry-after"]) <= 3600
    with server.client(authorization=f"Bearer {tokens['alice']}") as http:
        sessions = [Session(http).open() for _ in range(3)]
        assert all(tool_names(session.request("tools/list")) for session in sessions)
        http.cookies.clear()
        assert http.post("/mcp", json=LIST).status_code == 503, "half of the places are alice's"


def subscriber(http, program, uri: str, changes: int) -> Session:
    """Returns a session that was notified of this many changes and then closed its stream."""
    session = Session(http).open()
    session.request("resources/subscribe", {"uri": uri})
    with session.stream() as stream:
        for _ in range(changes):
            program.ok(*CHANGES[uri])
            stream.next_named("notifications/resources/updated")
    return session


def test_nothing_that_changed_during_a_restart_is_missed(server, program):
    """After a restart, a resumed stream has the changes made meanwhile, whatever was received
    before."""
    uri = "campaigns://list"
    with server.client() as http:
        session = subscriber(http, program, uri, changes=2)
    program.ok(*CHANGES[uri])
    server.kill()
    program.ok(*CHANGES[uri])
    server.start()
    with server.client() as http:
        session.http = http
        session.headers["last-event-id"] = "1"
        with session.stream() as stream:
            assert stream.next_named("notifications/resources/updated")["params"] == {"uri": uri}
            program.ok(*CHANGES[uri])
            stream.next_named("notifications/resources/updated")


def test_a_resumed_stream_goes_on_after_the_event_that_is_named(server, program):
    """What was received is not sent again, and nothing after it is left out."""
    uri = "campaigns://list"
    with server.client() as http:
        session = subscriber(http, program, uri, changes=3)
        session.headers["last-event-id"] = "1"
        with session.stream() as stream:
            program.ok(*CHANGES[uri])
            for _ in range(2):
                stream.next_named("notifications/resources/updated")
            ids = ids_of(stream)
        assert "1" not in ids and "2" in ids, stream.heard


def ids_of(stream) -> list[str]:
    """Returns the ids of the events received so far."""
    return [line.removeprefix("id:").strip() for line in stream.heard if line.startswith("id:")]


def test_each_event_of_a_stream_has_an_id_of_its_own(server, program):
    """The initial event does not share its id with the first notification, so that one is not
    repeated on resuming."""
    uri = "campaigns://list"
    with server.client() as http:
        session = Session(http).open()
        session.request("resources/subscribe", {"uri": uri})
        with session.stream() as stream:
            # An id line follows the data of its event, so the last event's id has not been read
            # yet.
            for _ in range(3):
                program.ok(*CHANGES[uri])
                stream.next_named("notifications/resources/updated")
            greeting, first, second = ids_of(stream)
        assert len({greeting, first, second}) == 3
        session.headers["last-event-id"] = first
        with session.stream() as stream:
            for _ in range(2):
                stream.next_named("notifications/resources/updated")
            assert ids_of(stream) == [second]


def test_who_comes_back_gets_what_the_lost_stream_would(server, program):
    """A broken connection looks open to the server for a while; notifications must not go to it
    alone."""
    uri = "campaigns://list"
    with server.client() as http:
        session = Session(http).open()
        session.request("resources/subscribe", {"uri": uri})
        with session.stream() as lost:
            program.ok(*CHANGES[uri])
            lost.next_named("notifications/resources/updated")
            session.headers["last-event-id"] = "1"
            with session.stream() as stream:
                program.ok(*CHANGES[uri])
                stream.next_named("notifications/resources/updated")


def test_requests_at_once_with_one_id_are_told_so(server):
    """Each of them gets its own answer or a refusal, never the answer of another."""
    with server.client() as http:
        session = Session(http).open()

        def create(number):
            arguments = {"name": f"campaign {number}", "gm_mode": "AI"}
            body = message("tools/call", {"name": "campaign_create", "arguments": arguments}, id=1)
            with server.client() as own:
                return number, own.post("/mcp", json=body, headers=session.headers)

        answers = at_once([lambda n=n: create(n) for n in range(12)])
        assert any(answer.status_code == 200 for _, answer in answers), answers
        for number, answer in answers:
            if answer.status_code == 200:
                made = result_of(answer_of(answer))["structuredContent"]
                assert made["name"] == f"campaign {number}"
            else:
                assert answer.status_code == 400 and error_of(answer.json())["code"] == -32600
                assert "id" in error_of(answer.json())["message"]


def test_the_instructions_name_what_is_on(serve):
    """A client is not told about tools that are off."""
    with serve("--toolsets", "play").client() as http:
        told = Session(http).open().opened["instructions"]
        assert "- play:" in told and "- memory:" not in told
        told = Modern(http).request("server/discover")["instructions"]
        assert "- play:" in told and "- atlas" not in told


def test_calls_without_a_cookie_take_no_place_for_long(serve):
    """A client that keeps no cookies does not use up the sessions, and a client that came back
    keeps its own."""
    server = serve("--max-sessions", "3")
    with server.client() as http:
        kept = http.post("/mcp", json=LIST).cookies["mcp_session"]
        mine = {"cookie": f"mcp_session={kept}"}
        assert http.post("/mcp", json=LIST, headers=mine).status_code == 200
        for _ in range(9):
            http.cookies.clear()
            assert http.post("/mcp", json=LIST).status_code == 200
        http.cookies.clear()
        again = http.post("/mcp", json=LIST, headers=mine)
        assert again.status_code == 200 and "set-cookie" not in again.headers


class TestStrict:
    """--strict-http: only the rules of the protocol, without help for simple clients."""

    @pytest.fixture
    def strict(self, serve):
        with serve("--strict-http").client() as http:
            yield http

    def test_no_cookie_is_set(self, strict):
        """Neither initialize nor health sets a cookie."""
        session = Session(strict).open()
        assert tool_names(session.request("tools/list"))
        strict.get("/mcp/health")
        assert not strict.cookies

    def test_no_session_is_opened_on_first_use(self, strict):
        """A request without a session is refused."""
        refused = strict.post("/mcp", json=LIST, headers={"accept": BOTH})
        assert refused.status_code == 400
        assert error_of(refused.json())["code"] == -32600

    def test_a_cookie_is_no_session(self, strict):
        """A session id in a cookie does not count."""
        session = Session(strict).open()
        headers = {"accept": BOTH, "cookie": f"mcp_session={session.id}"}
        assert strict.post("/mcp", json=LIST, headers=headers).status_code == 400
        assert strict.delete("/mcp", headers=headers).status_code == 400

    def test_accept_must_name_both_types(self, strict):
        """A client that does not accept event streams is refused with a JSON-RPC error."""
        refused = strict.post("/mcp", json=message("initialize", initialize_params("2025-11-25")))
        assert refused.status_code == 406
        error_of(refused.json())

    def test_sessions_work_by_header(self, strict):
        """What the protocol prescribes works as usual."""
        session = Session(strict).open()
        assert session.call("duality_outcome", DICE)["structuredContent"]["total"] == 15
        assert session.end().status_code == 204
        assert_unknown_session(session.post(LIST))


def test_a_new_conversation_is_in_the_chosen_world_and_an_old_one_stays(program):
    """A server without --world follows `world use`. A conversation never moves under its client's
    feet."""
    def here(session) -> str:
        return session.call("create_entities", {"entities": [{"entity_type": "note", "name": "Here"}]})

    def names(world: str) -> list[str]:
        told = json.loads(program.ok("--world", world, "call", "find_entities", "{}"))
        return [row["name"] for row in told["entities"]]

    server = program.serve()
    try:
        with server.client() as first, server.client() as second, program.stdio() as pipes:
            old = Session(first).open()
            old.call("find_entities", {})
            pipes.initialize()
            program.ok("world", "create", "Second", "--use")
            time.sleep(1.2)
            here(old)
            pipes.request("tools/call", {"name": "create_entities", "arguments": {
                "entities": [{"entity_type": "note", "name": "Piped"}]}})
            assert (sorted(names("Main")), names("Second")) == (["Here", "Piped"], [])
            here(Session(second).open())
            assert names("Second") == ["Here"]
    finally:
        server.kill()
