"""A whole session with the official Python client: a GM and two players play at the same time and
follow the log live. Afterwards the log is verified."""

import contextlib
import itertools
import json
from dataclasses import dataclass, field

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from harness.program import Program
from harness.rpc import MODERN
from harness.table import payload, replayed

pytestmark = pytest.mark.filterwarnings("ignore:resources/subscribe is removed")

PEOPLE = {"gail": "gm", "alice": "player", "bob": "player"}
ROUNDS = 12
SECRET = "quokka"
# Tools that use the context, so a client without a session has to name it with each call.
WITH_CONTEXT = {"session_action_roll", "session_roll_outcome_apply", "session_note_add", "session_effect_apply",
                "character_state_patch", "session_end"}


class Person:
    """A person with a client of the SDK, who is notified of changes and follows the log."""

    def __init__(self, name: str, client: Client, tasks):
        self.name = name
        self.client = client
        self.tasks = tasks
        self.context_id = None
        self.heard: list[str] = []
        self.followed: list[dict] = []
        self.changed = anyio.Event()

    async def on_message(self, message) -> None:
        """Handles a message that the SDK delivers from the event stream."""
        if getattr(message, "method", "") == "notifications/resources/updated":
            self.hear(str(message.params.uri))

    def hear(self, uri: str) -> None:
        self.heard.append(uri)
        self.changed.set()

    async def do(self, tool: str, **arguments) -> dict:
        if self.context_id and tool in WITH_CONTEXT:
            arguments["context_id"] = self.context_id
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, (self.name, tool, arguments, result.structured_content)
        return result.structured_content

    async def read(self, uri: str) -> dict:
        (content,) = (await self.client.read_resource(uri)).contents
        return json.loads(content.text)

    async def subscribe(self, *uris: str) -> None:
        """Subscribes as the revision requires: with a request, or with a stream of its own."""
        if self.client.protocol_version != MODERN:
            for uri in uris:
                await self.client.subscribe_resource(uri)
            return
        await self.tasks.start(self._listen, uris)

    async def _listen(self, uris, *, task_status) -> None:
        async with self.client.listen(resource_subscriptions=uris) as subscription:
            task_status.started()
            async for event in subscription:
                self.hear(str(event.uri))

    async def take_seat(self, evening: "Evening", **more: str) -> None:
        answer = await self.do("set_context", campaign_id=evening.campaign,
                               participant_id=evening.seats[self.name], **more)
        if self.client.protocol_version == MODERN:
            self.context_id = answer["context_id"]

    async def follow(self, events: str) -> None:
        """Reads what is new in the log when notified of it, and only then."""
        while not self.followed or self.followed[-1]["type"] != "SESSION_ENDED":
            await self.changed.wait()
            self.changed = anyio.Event()
            if events in self.heard:
                last = self.followed[-1]["seq"] if self.followed else 0
                page = await self.read(f"{events}?limit=1000&after_seq={last}")
                self.followed += page["events"][::-1]


@dataclass
class Evening:
    """What is recorded of a session."""

    campaign: str = ""
    session: str = ""
    seats: dict = field(default_factory=dict)
    heroes: dict = field(default_factory=dict)
    before: dict = field(default_factory=dict)
    """The sheets by the owner of the character, before the first roll."""
    after: dict = field(default_factory=dict)
    fear: int = -1
    flood: int = -1
    """What is left of a countdown from 100 that every roll advances."""
    rolls: list = field(default_factory=list)
    """The answer of each roll, with who rolled and for which character."""
    applied: list = field(default_factory=list)
    ended: dict = field(default_factory=dict)
    log: list = field(default_factory=list)
    """Every event, as the GM reads it afterwards."""
    seen: dict = field(default_factory=dict)
    """The events that each person may see, as read afterwards."""
    followed: dict = field(default_factory=dict)
    """The events that each person read when notified."""
    verified: dict = field(default_factory=dict)
    heard: dict = field(default_factory=dict)
    wanted: dict = field(default_factory=dict)
    """The URIs that each person subscribed to."""
    repeated: list = field(default_factory=list)
    """Some rolls, repeated from their seeds outside of the session."""


async def prepare(evening: Evening, gail: Person) -> None:
    """Creates the campaign, its participants and its characters."""
    made = await gail.do("campaign_create", name="The Lost Expedition", gm_mode="HUMAN", theme_prompt="A forest")
    evening.campaign = made["id"]
    for name in PEOPLE:
        role = "GM" if name == "gail" else "PLAYER"
        made = await gail.do("participant_create", campaign_id=evening.campaign, display_name=name, role=role)
        evening.seats[name] = made["id"]
    for owner, hero, kind in (("alice", "Ana", "PC"), ("bob", "Bor", "PC"), ("gail", "Ogre", "NPC")):
        made = await gail.do("character_create", campaign_id=evening.campaign, name=hero, kind=kind)
        evening.heroes[owner] = made["id"]
        await gail.do("character_profile_patch", character_id=made["id"], hp_max=20, stress_max=10)
        await gail.do("character_state_patch", character_id=made["id"], hp=20, stress=5)
        controller = "GM" if owner == "gail" else evening.seats[owner]
        await gail.do("character_control_set", campaign_id=evening.campaign, character_id=made["id"],
                      controller=controller)


async def rounds(evening: Evening, person: Person) -> None:
    """One person's part: rolls and their outcomes, and other calls in between."""
    hero = evening.heroes[person.name]
    for number in range(ROUNDS):
        asked = {"character_id": hero, "trait": "agility", "difficulty": 10 + number % 5,
                 "modifiers": [{"source": "skill", "value": number % 3}]}
        if person.name == "gail" and number % 3 == 0:
            asked |= {"character_id": evening.heroes["alice"], "hide_difficulty": True}
        rolled = await person.do("session_action_roll", **asked)
        evening.rolls.append({**rolled, "who": person.name, "character_id": asked["character_id"]})
        evening.applied.append(await person.do("session_roll_outcome_apply", roll_seq=rolled["roll_seq"]))
        if number % 3 == 1:
            await person.do("character_state_patch", character_id=hero, hp=20 - number, stress=number % 5)
        if number % 4 == 2:
            more = {"gm_only": True} if person.name == "gail" else {}
            await person.do("session_note_add", text=f"{SECRET if more else 'open'} {number}", **more)
        if person.name == "gail" and number % 4 == 3:
            # One call for the heroes and a hidden NPC; each person reads only what they may see.
            await person.do("session_effect_apply", character_ids=list(evening.heroes.values()),
                            damage={"amount": number}, reason=f"{SECRET} rocks")


async def play(server, tokens: dict[str, str], mode: str) -> Evening:
    """Runs everything from the first call to the final reads."""
    evening = Evening()
    async with contextlib.AsyncExitStack() as stack:
        clients = {name: await stack.enter_async_context(httpx2.AsyncClient(
            headers={"authorization": f"Bearer {token}"}, timeout=60, trust_env=False,
        )) for name, token in tokens.items()}
        tasks = await stack.enter_async_context(anyio.create_task_group())
        people = {}
        for name, http in clients.items():
            async def hand_on(message, name=name):
                await people[name].on_message(message)

            client = Client(streamable_http_client(server.url, http_client=http), mode=mode,
                            message_handler=hand_on, read_timeout_seconds=60)
            people[name] = Person(name, await stack.enter_async_context(client), tasks)
        await evening_of(evening, people)
        tasks.cancel_scope.cancel()
    return evening


async def evening_of(evening: Evening, people: dict[str, Person]) -> None:
    gail, alice, bob = people.values()
    await gail.subscribe("campaigns://list")
    await prepare(evening, gail)
    uri = f"campaign://{evening.campaign}"
    parts = [uri, *(f"{uri}/{part}" for part in ("participants", "characters", "sessions"))]
    for person in people.values():
        await person.take_seat(evening)
        await person.subscribe(*parts)
    evening.seats["guest"] = (await gail.do(
        "participant_create", campaign_id=evening.campaign, display_name="Guest", role="PLAYER"))["id"]
    evening.session = (await gail.do("session_start", campaign_id=evening.campaign, name="Session 1"))["id"]
    events = f"session://{evening.session}/events"
    for person in people.values():
        await person.take_seat(evening, session_id=evening.session)
        await person.subscribe(events)
        evening.wanted[person.name] = {*parts, events} | ({"campaigns://list"} if person is gail else set())
    await gail.do("session_effect_apply", countdown={"name": "The flood", "start": 100})
    for owner, hero in evening.heroes.items():
        evening.before[owner] = await gail.do("character_sheet_get", character_id=hero)
    async with anyio.create_task_group() as table:
        for person in (alice, bob):
            table.start_soon(person.follow, events)
        async with anyio.create_task_group() as playing:
            for person in people.values():
                playing.start_soon(rounds, evening, person)
        evening.ended = await gail.do("session_end")
        with anyio.fail_after(60):
            while not all(evening.wanted[name] <= set(person.heard) for name, person in people.items()):
                await anyio.sleep(0.02)
        table.cancel_scope.deadline = anyio.current_time() + 60
    await look_back(evening, people, events, uri)


async def look_back(evening: Evening, people: dict[str, Person], events: str, uri: str) -> None:
    """Reads everything that is checked afterwards."""
    for name, person in people.items():
        evening.seen[name] = (await person.read(f"{events}?limit=1000"))["events"][::-1]
        evening.followed[name] = person.followed
        evening.verified[name] = await person.do("session_log_verify", session_id=evening.session)
        evening.heard[name] = person.heard
    evening.log = evening.seen["gail"]
    gail = people["gail"]
    for owner, hero in evening.heroes.items():
        evening.after[owner] = await gail.do("character_sheet_get", character_id=hero)
    campaign = (await gail.read(uri))["campaign"]
    evening.fear, evening.flood = campaign["gm_fear"], campaign["countdowns"]["The flood"]["current"]
    for roll in evening.rolls[::5]:
        evening.repeated.append(await gail.do(
            "duality_action_roll", rng={"seed": roll["rng"]["seed_used"], "roll_mode": "REPLAY"}))


@pytest.fixture(scope="module", params=["legacy", MODERN])
def evening(request, binary, tmp_path_factory) -> Evening:
    """A session played by clients with MCP sessions, and one by clients without."""
    program = Program(binary, tmp_path_factory.mktemp("evening"))
    tokens = {name: program.token(role, name) for name, role in PEOPLE.items()}
    server = program.serve()
    try:
        return anyio.run(play, server, tokens, request.param)
    finally:
        server.kill()


def of_type(evening: Evening, *kinds: str) -> list[dict]:
    return [event for event in evening.log if event["type"] in kinds]


def test_everybody_rolled(evening):
    """There are at least thirty rolls, by all three people, at the same time."""
    who = [roll["who"] for roll in evening.rolls]
    assert len(who) == 3 * ROUNDS >= 30 and set(who) == set(PEOPLE)
    changes = sum(1 for one, two in itertools.pairwise(who) if one != two)
    assert changes > ROUNDS, "they took turns, not shifts"


def test_the_log_has_no_gap(evening):
    """`seq` counts from 1 without a gap."""
    assert [event["seq"] for event in evening.log] == list(range(1, len(evening.log) + 1))


def test_the_log_begins_and_ends(evening):
    """The log begins with SESSION_STARTED, ends with SESSION_ENDED, and contains no rejections."""
    kinds = [event["type"] for event in evening.log]
    assert (kinds[0], kinds[-1]) == ("SESSION_STARTED", "SESSION_ENDED")
    assert "REQUEST_REJECTED" not in kinds
    assert evening.ended["status"] == "ENDED"


def test_every_event_hangs_on_the_one_before(evening):
    """`prev_hash` is the hash of the previous event."""
    for before, after in itertools.pairwise(evening.log):
        assert after["prev_hash"] == before["hash"]


@pytest.mark.parametrize("name", PEOPLE)
def test_the_log_is_verified_for_everybody(evening, name):
    """The hash chain is intact and no roll is wrong. The GM's check covers every roll, a player's
    all that they may see."""
    found = evening.verified[name]
    seen = evening.seen[name]
    assert found["ok"] is True and found["wrong_rolls"] == [] and found["events"] == len(seen)
    rolls = [event for event in seen if event["type"] == "ACTION_ROLL_RESOLVED"]
    assert found["rolls"] == len(rolls)
    if name == "gail":
        assert (found["events"], found["rolls"]) == (len(evening.log), 3 * ROUNDS)


def test_every_roll_is_in_the_log_where_it_said(evening):
    """The `roll_seq` of each answer leads to an event with the same dice."""
    log = {event["seq"]: event for event in of_type(evening, "ACTION_ROLL_RESOLVED")}
    assert sorted(roll["roll_seq"] for roll in evening.rolls) == sorted(log)
    for roll in evening.rolls:
        event = log[roll["roll_seq"]]
        found = payload(event)
        assert event["character_id"] == roll["character_id"]
        assert (found["dice"]["hope_die"], found["dice"]["fear_die"]) == (roll["hope_die"], roll["fear_die"])
        assert (found["total"], found["success"], found["flavor"], found["crit"]) == (
            roll["total"], roll["success"], roll["flavor"], roll["crit"])
        assert found["seed_used"] == roll["rng"]["seed_used"]


def test_rolls_can_be_repeated_from_their_seeds(evening):
    """Outside of the session, the seed gives the same dice."""
    for roll, again in zip(evening.rolls[::5], evening.repeated, strict=True):
        assert (again["hope"], again["fear"]) == (roll["hope_die"], roll["fear_die"])


def test_every_roll_was_applied_once(evening):
    """There is one OUTCOME_APPLIED for each roll, and nobody was told that a roll had been applied
    already."""
    applied = [payload(event)["roll_seq"] for event in of_type(evening, "OUTCOME_APPLIED")]
    assert sorted(applied) == sorted(roll["roll_seq"] for roll in evening.rolls)
    assert not any("already_applied" in answer for answer in evening.applied)


@pytest.mark.parametrize("owner", PEOPLE)
def test_no_update_was_lost(evening, owner):
    """All `applied_changes` of the log lead from the first sheet to the last, each starting from
    the value that the previous one left."""
    assert replayed(evening.log, evening.before[owner]["state"]) == evening.after[owner]["state"]


@pytest.mark.parametrize("owner", PEOPLE)
def test_every_number_stays_in_range(evening, owner):
    """Hope is 0 to 6, and stress and hit points are within their maximums, after every change."""
    limits = {"hope": 6, "stress": 10, "hp": 20}
    for event in evening.log:
        for change in payload(event).get("applied_changes", []):
            if change.get("character_id") == evening.heroes[owner] and change["field"] in limits:
                assert 0 <= change["after"] <= limits[change["field"]], event
    state = evening.after[owner]["state"]
    assert all(0 <= state[field] <= most for field, most in limits.items())


def test_fear_adds_up(evening):
    """The campaign's Fear is the sum of the changes in the log, and never above twelve."""
    fear = 0
    for event in evening.log:
        for change in payload(event).get("applied_changes", []):
            if change["field"] == "gm_fear":
                assert change["before"] == fear
                fear = change["after"]
    assert fear == evening.fear <= 12
    with_fear = sum(1 for roll in evening.rolls if roll["flavor"] == "FEAR")
    assert fear == min(12, with_fear)


def test_the_countdown_moved_once_with_each_roll(evening):
    """It moves whoever rolled, hidden or not, and each move is an event with before and after."""
    assert evening.flood == 100 - len(evening.applied)
    moved = [payload(event)["detail"]["countdowns"][0] for event in of_type(evening, "COUNTDOWN_CHANGED")[1:]]
    assert [step["before"] for step in moved] == list(range(100, evening.flood, -1))
    assert all(step["after"] == step["before"] - 1 for step in moved)


@pytest.mark.parametrize("name", ["alice", "bob"])
def test_players_read_of_their_own_wounds(evening, name):
    """They do so even if the same call hit the hidden NPC, which nothing reveals."""
    hits = [event for event in evening.seen[name] if event["type"] == "DAMAGE_TAKEN"]
    assert len(hits) == len(of_type(evening, "DAMAGE_TAKEN")) > 0
    heroes = [evening.heroes["alice"], evening.heroes["bob"]]
    assert all(payload(event)["targets"] == heroes for event in hits)
    assert evening.heroes["gail"] not in json.dumps(evening.seen[name])


def test_every_event_names_who_caused_it(evening):
    """Each event has the participant, and each call has its own request and invocation ids."""
    for event in evening.log[1:]:
        assert event["participant_id"] in evening.seats.values() and event["request_id"], event
    rollers = {event["seq"]: event["participant_id"] for event in of_type(evening, "ACTION_ROLL_RESOLVED")}
    for roll in evening.rolls:
        assert rollers[roll["roll_seq"]] == evening.seats[roll["who"]]
    pairs = {(event["request_id"], event["invocation_id"]) for event in evening.log}
    assert len(pairs) == len({request for request, _ in pairs}) == len({call for _, call in pairs})


@pytest.mark.parametrize("name", PEOPLE)
def test_every_subscriber_heard_of_everything_subscribed(evening, name):
    """Each URI that somebody subscribed to was notified, and no other."""
    assert set(evening.heard[name]) == evening.wanted[name]


@pytest.mark.parametrize("name", ["alice", "bob"])
def test_who_reads_only_when_told_misses_nothing(evening, name):
    """A client that reads the log on notifications alone has everything that it may see."""
    assert evening.followed[name] == evening.seen[name]


@pytest.mark.parametrize("name", ["alice", "bob"])
def test_the_players_saw_no_secrets(evening, name):
    """The GM's notes, the ogre and the hidden difficulties stay hidden."""
    seen = json.dumps(evening.seen[name])
    assert SECRET not in seen and "gm_payload_json" not in seen
    assert evening.heroes["gail"] not in seen and "Ogre" not in seen
    assert any(payload(event).get("difficulty_hidden") for event in evening.seen[name])
    assert SECRET in json.dumps(evening.log), "they are there"
