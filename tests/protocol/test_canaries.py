"""What is hidden never reaches those it is hidden from: not through any tool, resource, prompt,
completion, compatible API, error, notification or log."""

import base64
import contextlib
import itertools
import json
import re
import uuid

import pytest

from harness import routes
from harness.canaries import (
    ASIDE, ID_KEY, IDS_OR_ROWS, NAMES, Planted, Secret, kinds_of, questions, sweep, told,
)
from harness.program import Program
from harness.rpc import message
from harness.table import Seat, listening
from harness.web import Session, Wire

VIEWERS = {"player": "player", "reader": "reader", "stranger": "owner"}
"""The viewers and their roles; the stranger owns another world."""


class House:
    """A server whose first world contains secrets of every kind, and viewers who must not see
    them."""

    def __init__(self, program: Program):
        self.program = program
        self.tokens = {name: program.token(role, name) for name, role in
                       {"gm": "gm", "player": "player", "reader": "reader"}.items()}
        program.ok("world", "create", "Elsewhere")
        self.tokens["stranger"] = program.ok(
            "--world", "Elsewhere", "token", "create", "--role", VIEWERS["stranger"], "--name",
            "stranger").strip()
        vault = program.home / "vault"
        vault.mkdir()
        program.settings |= {"VAULT_PATH": str(vault), "LOREWELL_LOG": "trace"}
        self.server = program.serve("--toolsets", "all,atlas-write")
        self.tools = program.tools("--toolsets", "all,atlas-write")
        self._open = contextlib.ExitStack()
        self.clients = {
            name: self._open.enter_context(self.server.client(authorization=f"Bearer {token}"))
            for name, token in self.tokens.items()
        }
        self.planted = Planted(Seat(self.session("gm")))
        self.world = self.planted.world
        self.secrets = self.planted.secrets

    def session(self, name: str) -> Session:
        return Session(self.clients[name]).open()

    def reading(self) -> list[dict]:
        """Returns the tools that change nothing, and the other tools limited to their reading
        actions."""
        found = []
        for tool in self.tools:
            if tool["annotations"]["readOnlyHint"] and not tool["annotations"]["openWorldHint"]:
                found.append(tool)
            elif tool["readingActions"]:
                tool = {**tool, "inputSchema": {**tool["inputSchema"], "properties": {
                    **tool["inputSchema"]["properties"], "action": {"enum": tool["readingActions"]}}}}
                found.append(tool)
        return found

    def writing(self) -> list[dict]:
        """Returns the tools that change something in the store."""
        return [tool for tool in self.tools
                if not tool["annotations"]["readOnlyHint"] and not tool["annotations"]["openWorldHint"]]

    def close(self) -> None:
        self._open.close()
        self.server.kill()


@pytest.fixture(scope="module")
def house(binary, tmp_path_factory):
    house = House(Program(binary, tmp_path_factory.mktemp("canaries")))
    yield house
    house.close()


def test_who_may_see_finds_every_secret(house):
    """The sweep is able to find: a game master meets every secret."""
    unseen = {secret.what for secret in house.secrets}
    for secret in house.secrets:
        with contextlib.closing(sweep(house.session("gm"), house.reading(), [secret], house.world)) as answers:
            if any(secret.is_in(answer, asked) for _, asked, answer in answers):
                unseen.discard(secret.what)
    assert not unseen


def test_every_address_that_is_asked_leads_somewhere(house):
    """The sweep takes the paths from the routers' source; a wrong one would find nothing without
    anybody noticing."""
    nowhere, found = set(), set()
    with Wire(house.session("gm")) as wire:
        for secret in house.secrets:
            for verb, path, body in routes.requests(secret.name, secret.probes(), house.world):
                status, said = wire.ask(verb, path, json.dumps(body))
                if any(word in said for word in ("Page not found", '"Not Found"')):
                    nowhere.add(path)
                elif status == 200 and secret.is_in(said, path + str(body)):
                    found.add((path.split("/")[2], secret.what))
        # World Anvil's API answers an unknown id and an unknown route alike, so use the wrong
        # method: known routes answer 405.
        ones, lists = routes.anvil_paths()
        for verb, paths in (("POST", ones - {"identity"}), ("GET", lists)):
            nowhere |= {path for path in paths if wire.ask(verb, f"{routes.ANVIL}/{path}", "{}")[0] != 405}
    assert not nowhere
    # Each API shows hidden things to those who may see them.
    told = {api: {what for other, what in found if other == api} for api, _ in found}
    assert set(told) == {"kanka", "koi", "worldanvil"} and all(len(whats) > 3 for whats in told.values()), told


@pytest.mark.parametrize("viewer", VIEWERS)
def test_nobody_else_reads_a_secret(house, viewer):
    """No answer to anybody else contains a word of a secret that was not in the request."""
    leaks = set()
    for where, asked, answer in sweep(house.session(viewer), house.reading(), house.secrets, house.world):
        leaks |= {(what, where, asked) for what in told(house.secrets, answer, asked)}
    assert not leaks


@pytest.mark.parametrize("viewer", ["player", "stranger"])
def test_nobody_else_changes_a_secret_or_learns_it_by_trying(house, viewer):
    """A write with the id of something hidden reveals nothing about it, and it can still be found
    afterwards."""
    leaks = set()
    before = {secret.what: seen(house, secret) for secret in house.secrets}
    assert all(before.values()), before
    with Wire(house.session(viewer)) as wire:
        for secret, tool in itertools.product(house.secrets, house.writing()):
            for arguments in questions(tool, secret, IDS_OR_ROWS):
                call = {"name": tool["name"], "arguments": arguments}
                if secret.body in wire.post(message("tools/call", call)):
                    leaks.add((secret.what, tool["name"], str(arguments)))
    assert not leaks
    assert before == {secret.what: seen(house, secret) for secret in house.secrets}


def test_the_id_of_something_in_another_world_is_like_no_id_at_all(house):
    """For every tool that takes an id: a viewer from another world gets the same answer for an id
    of this world as for one that does not exist."""
    wrong, asked = set(), set()
    ids = {known for secret in house.secrets for known in secret.ids if isinstance(known, str)}
    with Wire(house.session("stranger")) as wire:
        for tool, known in itertools.product(house.tools, sorted(ids)):
            if tool["annotations"]["openWorldHint"] or not (nobodys := unknown_like(known)):
                continue
            pairs = zip(*(questions(tool, Secret("", NAMES, "", {key}), IDS_OR_ROWS) for key in (known, nobodys)))
            for ours, theirs in pairs:
                # Learning looks nothing up by id, and its answer lists what was learned before.
                if known not in str(ours) or ours.get("action") == "learn":
                    continue
                asked.add(tool["name"])
                answers = [wire.post(message("tools/call", {"name": tool["name"], "arguments": given}))
                           for given in (ours, theirs)]
                if ID.sub("", answers[0]) != ID.sub("", answers[1]):
                    wrong.add((tool["name"], str(ours)[:200], answers[0][:300], answers[1][:300]))
    assert not wrong
    takes_ids = {tool["name"] for tool in house.tools if not tool["annotations"]["openWorldHint"]
                 and any(ID_KEY.search(name) and name not in ASIDE and "string" in kinds_of(field)
                         for name, field in tool["inputSchema"]["properties"].items())}
    assert takes_ids <= asked


ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\b[a-z]+_[a-z2-7]{26}\b|[0-9a-f]{32}|id: .*"
                r"|[-0-9]+T[:.0-9]+Z")
"""Matches what differs from call to call: ids, event ids and timestamps."""


def unknown_like(known: str) -> str | None:
    """Returns an id of the same form that does not exist, or None if the value is not an id."""
    if re.fullmatch(r"[0-9a-f-]{36}", known):
        return str(uuid.uuid4())
    if match := re.fullmatch(r"([a-z]+_)[a-z2-7]{26}", known):
        return match[1] + base64.b32encode(uuid.uuid4().bytes).decode().rstrip("=").lower()
    if match := re.fullmatch(r"(orn:.*-)[0-9a-f]{32}", known):
        return match[1] + uuid.uuid4().hex
    return None


def test_nobody_else_hears_of_a_secret(house):
    """Changes of hidden things cause no notifications, and the program's log does not contain
    them."""
    heard = {}
    with contextlib.ExitStack() as open_streams:
        for viewer in ("player", "reader"):
            session = house.session(viewer)
            heard[viewer] = open_streams.enter_context(listening(session))
            Seat(session).subscribe("campaigns://list", f"campaign://{house.planted.campaign}/characters")
        house.planted.change()
        house.planted.gm.do("character_create", campaign_id=house.planted.campaign, name="Open", kind="PC")
        for listener in heard.values():
            listener.wait_for(f"campaign://{house.planted.campaign}/characters")
    for viewer, listener in heard.items():
        said = str(listener.messages)
        assert not told(house.secrets, said), viewer
        hidden = {known for secret in house.secrets for known in secret.ids} - {house.planted.campaign}
        assert not [known for known in hidden if isinstance(known, str) and known in said], viewer
    log = house.server.log()
    assert not told(house.secrets, log)


def seen(house: House, secret) -> bool:
    """Whether a game master can still find what a secret says."""
    gm = house.planted.gm
    found = [
        gm.do("kn_intel", action="recall", topic=secret.body, limit=20),
        gm.do("knowledge_search", query=secret.body),
        gm.do("kn_project", action="list"),
        gm.do("list_categories"), gm.do("list_histories"), gm.do("list_timelines"),
    ]
    hung = [house.clients["gm"].get(f"{house.planted.belongings}/{what}").text for what in ("attributes", "relations")]
    return secret.body in str(found) + str(hung)
