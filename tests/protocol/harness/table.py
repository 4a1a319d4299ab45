"""Play tools and resources through any client, and a cast of people to play with."""

import concurrent.futures
import contextlib
import json
import re
import threading

from harness.rpc import answer_of, error_of, result_of
from harness.web import Modern, Session

WHOLE_SECONDS = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")
"""A timestamp in the form of the contract."""

HOPE, FEAR, CRIT, EIGHT_AND_FIVE = 0, 4, 3, 43
"""Seeds whose dice show more Hope (7, 1), more Fear (9, 12), equal dice (9, 9), and the dice of the
contract's example (8, 5)."""


def moment(found) -> bool:
    """Whether a value is a timestamp in the form of the contract: UTC, whole seconds."""
    return isinstance(found, str) and bool(WHOLE_SECONDS.fullmatch(found))


def identifier(found) -> bool:
    return isinstance(found, str) and bool(re.fullmatch(r"[a-z]+_[a-z2-7]{26}", found))


def holds(found, wanted, where: str = "$") -> None:
    """Checks that an answer has the fields of the contract, with the same types and values. Further
    fields are allowed. A function in `wanted` accepts every value that it returns true for."""
    if callable(wanted):
        assert wanted(found), f"{where}: {found!r} is not a {wanted.__name__}"
        return
    assert type(found) is type(wanted), f"{where}: {found!r} instead of {wanted!r}"
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            assert key in found, f"{where} has no {key}: {found}"
            holds(found[key], value, f"{where}.{key}")
    elif isinstance(wanted, list):
        assert len(found) == len(wanted), f"{where}: {len(found)} instead of {len(wanted)}: {found}"
        for index, (one, other) in enumerate(zip(found, wanted)):
            holds(one, other, f"{where}[{index}]")
    else:
        assert found == wanted, f"{where}: {found!r} instead of {wanted!r}"


class Seat:
    """Play tools and resources over a client. The client only needs `ask`, or is a `Modern`."""

    def __init__(self, client):
        self.client = client

    def ask(self, method: str, params: dict | None = None) -> dict:
        if isinstance(self.client, Modern):
            return answer_of(self.client.post(method, params))
        return self.client.ask(method, params)

    def result(self, tool: str, arguments: dict) -> dict:
        """Returns the whole result of a tool."""
        return result_of(self.ask("tools/call", {"name": tool, "arguments": arguments}))

    def do(self, tool: str, **arguments) -> dict:
        """Returns the structured answer of a tool that must succeed."""
        result = self.result(tool, arguments)
        assert not result.get("isError"), f"{tool} {arguments}: {result['structuredContent']}"
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def refused(self, tool: str, **arguments) -> dict:
        """Returns the structured error of a tool that must fail."""
        result = self.result(tool, arguments)
        assert result.get("isError"), f"{tool} {arguments}: {result}"
        return well_formed(result["structuredContent"], result["content"][0]["text"])

    def read(self, uri: str) -> dict:
        """Returns the contents of a JSON resource."""
        (content,) = result_of(self.ask("resources/read", {"uri": uri}))["contents"]
        assert content["uri"] == uri and content["mimeType"] == "application/json"
        return json.loads(content["text"])

    def unreadable(self, uri: str) -> dict:
        """Returns the JSON-RPC error for a resource that must not be readable."""
        error = error_of(self.ask("resources/read", {"uri": uri}))
        well_formed(error["data"], error["message"])
        return error

    def subscribe(self, *uris: str) -> None:
        for uri in uris:
            result_of(self.ask("resources/subscribe", {"uri": uri}))

    def events(self, session: str) -> list[dict]:
        """Returns all events of a session that this seat may see, oldest first, read page by
        page."""
        found, before = [], ""
        while page := self.read(f"session://{session}/events?limit=500{before}")["events"]:
            found += page
            before = f"&before_seq={page[-1]['seq']}"
        return found[::-1]

    def roll(self, session: str, character: str, **more) -> dict:
        """Makes an action roll, by default against agility and difficulty 10."""
        arguments = {"trait": "agility", "difficulty": 10, **more}
        return self.do("session_action_roll", session_id=session, character_id=character, **arguments)


def well_formed(error: dict, text: str) -> dict:
    """Checks that an error has a code, a message and a hint, and that its text contains the
    message."""
    assert re.fullmatch(r"[A-Z_]+", error["code"]), error
    assert error["message"] and error["hint"], error
    assert error["message"] in text, (error, text)
    return error


def payload(event: dict) -> dict:
    return json.loads(event["payload_json"])


def replayed(events: list[dict], state: dict) -> dict:
    """Applies all changes of a log to a character's numbers. Each change must start from the value
    that the previous one left."""
    state = dict(state)
    for event in events:
        hidden = json.loads(event.get("gm_payload_json", "{}"))
        for change in payload(event).get("applied_changes", []) + hidden.get("applied_changes", []):
            if change.get("character_id") == state["character_id"] and change["field"] in state:
                assert state[change["field"]] == change["before"], event
                state[change["field"]] = change["after"]
    return state


def replay(seed: int) -> dict:
    """Returns the `rng` argument that replays the dice of a seed."""
    return {"seed": seed, "roll_mode": "REPLAY"}


def at_once(works) -> list:
    """Runs functions at the same time, each in its own thread, and returns their results."""
    works = list(works)
    gate = threading.Barrier(len(works))

    def run(work):
        gate.wait()
        return work()

    with concurrent.futures.ThreadPoolExecutor(len(works)) as pool:
        return list(pool.map(run, works))


class Listener:
    """Collects the messages of an event stream in a thread of its own."""

    def __init__(self, stream):
        self.messages: list[dict] = []
        self._stream = stream
        self._arrived = threading.Condition()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        with contextlib.suppress(Exception):
            while True:
                message = self._stream.next()
                with self._arrived:
                    self.messages.append(message)
                    self._arrived.notify_all()

    def uris(self) -> list[str]:
        """Returns the URIs of all update notifications so far, in order."""
        with self._arrived:
            return updated(self.messages)

    def wait_for(self, *uris: str, times: int = 1, seconds: float = 30) -> None:
        """Waits until there are at least `times` update notifications for each of the URIs."""
        def heard():
            found = updated(self.messages)
            return all(found.count(uri) >= times for uri in uris)

        with self._arrived:
            assert self._arrived.wait_for(heard, seconds), f"wanted {uris}, heard {updated(self.messages)}"


def updated(messages: list[dict]) -> list[str]:
    """Returns the URIs of the update notifications in a list of messages, all of which must be
    notifications."""
    uris = []
    for message in messages:
        assert message["jsonrpc"] == "2.0" and "id" not in message, message
        if message["method"] == "notifications/resources/updated":
            uris.append(message["params"]["uri"])
    return uris


@contextlib.contextmanager
def listening(session):
    """Reads the event stream of a session in the background."""
    with session.stream(silence=30) as stream:
        yield Listener(stream)


class Cast:
    """A game master, two players and a reader, each with a token."""

    ROLES = {"gail": "gm", "alice": "player", "bob": "player", "ray": "reader"}

    def __init__(self, program, **more: str):
        self.program = program
        roles = {**self.ROLES, **more}
        self.tokens = {name: program.token(role, name) for name, role in roles.items()}
        self.server = program.serve()
        self._open = contextlib.ExitStack()
        self._clients = {}

    def http(self, name: str):
        """Returns a plain HTTP client with a person's token."""
        if name not in self._clients:
            client = self.server.client(authorization=f"Bearer {self.tokens[name]}")
            self._clients[name] = self._open.enter_context(client)
        return self._clients[name]

    def seat(self, name: str) -> Seat:
        """Opens a new session for a person, without a context."""
        return Seat(Session(self.http(name)).open())

    def close(self) -> None:
        self._open.close()
        assert self.server.is_running(), f"the server ended: {self.server.log()}"
        self.server.kill()


class Game:
    """A campaign with a running session, led by Gail. Alice plays Ana, Bob plays Bor, and Ray
    watches. Everybody but Ray has a session with its context set."""

    def __init__(self, cast: Cast):
        self.gail, self.alice, self.bob, self.ray = (cast.seat(name) for name in Cast.ROLES)
        self.id = self.gail.do("campaign_create", name="Ashfall", gm_mode="HUMAN")["id"]
        self.uri = f"campaign://{self.id}"
        self.seats = {
            name: self.gail.do("participant_create", campaign_id=self.id, display_name=name, role=role)["id"]
            for name, role in (("gail", "GM"), ("alice", "PLAYER"), ("bob", "PLAYER"))
        }
        self.ana, self.bor = self.hero("Ana", "alice"), self.hero("Bor", "bob")
        self.session = self.gail.do("session_start", campaign_id=self.id)["id"]
        self.events = f"session://{self.session}/events"
        for name in self.seats:
            self.take(getattr(self, name), name)

    def hero(self, name: str, player: str) -> str:
        """Creates a player character controlled by a player."""
        made = self.gail.do("character_create", campaign_id=self.id, name=name, kind="PC")["id"]
        self.gail.do("character_control_set", campaign_id=self.id, character_id=made, controller=self.seats[player])
        return made

    def take(self, seat: Seat, name: str) -> dict:
        """Sets the context of a client to a person's seat in this game."""
        return seat.do("set_context", campaign_id=self.id, session_id=self.session, participant_id=self.seats[name])
