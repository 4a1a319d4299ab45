"""What is hidden reaches nobody it is hidden from: not by any tool, resource, prompt, completion,
compatible API, error, notification or log."""

import contextlib
import itertools

import pytest

from harness.canaries import IDS_OR_ROWS, Planted, questions, sweep, told
from harness.program import Program
from harness.rpc import message
from harness.table import Seat, listening
from harness.web import Session, Wire

VIEWERS = {"player": "player", "reader": "reader", "stranger": "player"}
"""Who looks, in which role; strangers play in a world of their own."""


class House:
    """A server with secrets of every kind in its first world, and others who look."""

    def __init__(self, program: Program):
        self.program = program
        self.tokens = {name: program.token(role, name) for name, role in
                       {"gm": "gm", "player": "player", "reader": "reader"}.items()}
        program.ok("world", "create", "Elsewhere")
        self.tokens["stranger"] = program.ok(
            "--world", "Elsewhere", "token", "create", "--role", "player", "--name", "stranger").strip()
        self.server = program.serve("--toolsets", "all,atlas-write")
        self.tools = program.tools("--toolsets", "all,atlas-write")
        self._open = contextlib.ExitStack()
        self.clients = {
            name: self._open.enter_context(self.server.client(authorization=f"Bearer {token}"))
            for name, token in self.tokens.items()
        }
        self.planted = Planted(Seat(self.session("gm")))
        self.secrets = self.planted.secrets

    def session(self, name: str) -> Session:
        return Session(self.clients[name]).open()

    def reading(self) -> list[dict]:
        """The tools that change nothing, and of the others the actions that do not."""
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
        """The tools that change something here."""
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
    """The sweep can find: whoever runs the world meets every secret in it."""
    unseen = {secret.what for secret in house.secrets}
    for secret in house.secrets:
        with contextlib.closing(sweep(house.session("gm"), house.reading(), [secret])) as answers:
            if any(secret.is_in(answer, asked) for _, asked, answer in answers):
                unseen.discard(secret.what)
    assert not unseen


@pytest.mark.parametrize("viewer", VIEWERS)
def test_nobody_else_reads_a_secret(house, viewer):
    """Neither by what it is called nor by what it says, nor from a list."""
    leaks = set()
    for where, asked, answer in sweep(house.session(viewer), house.reading(), house.secrets):
        leaks |= {(what, where, asked) for what in told(house.secrets, answer, asked)}
    assert not leaks


@pytest.mark.parametrize("viewer", ["player", "stranger"])
def test_nobody_else_changes_a_secret_or_learns_it_by_trying(house, viewer):
    """Writing with the id of something hidden neither touches it nor tells of it."""
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


def test_nobody_else_hears_of_a_secret(house):
    """Changes of what is hidden make no sound, and the log of the program does not tell them."""
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
    """Whether the one who runs the world still finds what a secret says."""
    gm = house.planted.gm
    found = [
        gm.do("kn_intel", action="recall", topic=secret.body, limit=20),
        gm.do("knowledge_search", query=secret.body),
        gm.do("kn_project", action="list"),
        gm.do("list_categories"), gm.do("list_histories"), gm.do("list_timelines"),
    ]
    return secret.body in str(found)
