"""Writes through every door and records what was acknowledged."""

import itertools
import json
from dataclasses import dataclass

from harness.rpc import result_of
from harness.table import Seat

TOOLSETS = ("--toolsets", "all")
"""The atlas tools that write articles are not on by default."""


class Refused(Exception):
    """The server answered that it did not do what was asked."""


@dataclass(frozen=True)
class Made:
    """Something whose creation was acknowledged."""

    door: str
    key: object
    """Its identifier in the answer."""
    word: str
    """A word that occurs in it and nowhere else."""


class Keeper:
    """Writes through one seat. Keepers that share a store need different names."""

    def __init__(self, seat: Seat, name: str):
        self.seat = seat
        self.made: list[Made] = []
        self.name = name
        self._numbers = itertools.count()
        self.campaign = self.character = self.session = self.page = None

    def set_the_table(self) -> None:
        """Creates what the play tools need. If it is called again after a refusal, it creates only
        what is missing."""
        self.campaign = self.campaign or self.make("campaign")
        self.character = self.character or self.made_by(
            "character_create", campaign_id=self.campaign, name=f"Thorin {self.name}", kind="PC")["id"]
        self.session = self.session or self.made_by(
            "session_start", campaign_id=self.campaign)["id"]
        self.page = self.page or self.make("page")

    def guest(self, name: str) -> "Keeper":
        """Returns another keeper at the same table and with the same seat; the caller gives it its
        own."""
        other = Keeper(self.seat, name)
        other.campaign, other.character = self.campaign, self.character
        other.session, other.page = self.session, self.page
        return other

    def make(self, door: str) -> object:
        """Creates one thing, and records it once the server has acknowledged it."""
        word = f"quill{self.name}x{next(self._numbers)}"
        tool, arguments = DOORS[door][0](self, word)
        made = Made(door, DOORS[door][1](self, self.made_by(tool, **arguments)), word)
        self.made.append(made)
        return made.key

    def made_by(self, tool: str, **arguments) -> dict:
        """Returns the answer of a tool; raises `Refused` unless it reports success."""
        answer = self.seat.ask("tools/call", {"name": tool, "arguments": arguments})
        result = answer.get("result") or {"isError": True}
        told = result.get("structuredContent") or {}
        failed = [one for one in told.get("results", []) if not one.get("success", True)]
        if result.get("isError") or "error" in told or failed:
            raise Refused(json.dumps(answer))
        return told


def missing(seat: Seat, made: list[Made]) -> list[Made]:
    """Returns what was acknowledged but cannot be found."""
    return [one for one in made if not DOORS[one.door][2](seat, one)]


def _first(answer: dict) -> dict:
    (one,) = answer["results"]
    return one


def _page(keeper: Keeper, word: str):
    new = {"entity_type": "location", "name": f"Hall {word}", "entry": f"All about {word}.",
           "tags": [f"tag {word}"], "is_hidden": False}
    return "create_entities", {"entities": [new]}


def _entity(seat: Seat, id: int) -> dict:
    (found,) = seat.do("get_entities", entity_ids=[id], include_posts=True)["results"]
    return found


def _post_is_there(seat: Seat, made: Made) -> bool:
    entity, post = made.key
    posts = _entity(seat, entity).get("posts", [])
    return any(one["id"] == post and made.word in one["entry"] for one in posts)


def _roll_is_there(seat: Seat, made: Made) -> bool:
    session, seq = made.key
    (event, *_) = seat.read(f"session://{session}/events?limit=1&before_seq={seq + 1}")["events"]
    return event["seq"] == seq and event["type"] == "ACTION_ROLL_RESOLVED"


def _recalled(seat: Seat, made: Made) -> bool:
    rows = seat.do("kn_intel", action="recall", topic=made.word, limit=5)["results"]
    return any(made.key == row["id"] for row in rows)


def _note_is_there(seat: Seat, made: Made) -> bool:
    params = {"name": "vault_read_note", "arguments": {"path": made.key}}
    result = result_of(seat.ask("tools/call", params))
    return made.word in result["content"][0]["text"]


DOORS = {
    "campaign": (
        lambda keeper, word: ("campaign_create", {"name": f"Table {word}", "gm_mode": "HUMAN"}),
        lambda _, answer: answer["id"],
        lambda seat, made: made.word in json.dumps(seat.read(f"campaign://{made.key}")),
    ),
    "roll": (
        lambda keeper, word: ("session_action_roll", {
            "session_id": keeper.session, "character_id": keeper.character, "trait": "agility",
            "difficulty": 10}),
        lambda keeper, answer: (keeper.session, answer["roll_seq"]),
        _roll_is_there,
    ),
    "page": (
        _page,
        lambda _, answer: _first(answer)["entity_id"],
        lambda seat, made: made.word in _entity(seat, made.key)["entry"],
    ),
    "post": (
        lambda keeper, word: ("create_posts", {
            "posts": [{"entity_id": keeper.page, "name": "Rumour", "entry": f"They say {word}."}]}),
        lambda _, answer: (_first(answer)["entity_id"], _first(answer)["post_id"]),
        _post_is_there,
    ),
    "node": (
        lambda keeper, word: ("kn_graph", {
            "action": "add", "name": f"Node {word}", "type": "concept", "description": word}),
        lambda _, answer: answer["id"],
        lambda seat, made: made.key in json.dumps(
            seat.do("kn_graph", action="query", text=made.word)),
    ),
    "fact": (
        lambda keeper, word: ("kn_intel", {
            "action": "learn", "type": "decision", "content": f"The crate {word} stands in the hall",
            "confidence": "high"}),
        lambda _, answer: answer["node_id"],
        _recalled,
    ),
    "article": (
        lambda keeper, word: ("create_article", {"title": f"On {word}", "content": f"Only {word}."}),
        lambda _, answer: answer["data"]["id"],
        lambda seat, made: made.word in json.dumps(seat.do("get_article", article_id=made.key)),
    ),
    "note": (
        lambda keeper, word: ("vault_write_note", {
            "path": f"Notes/{word}.md", "content": f"# {word}\n\nIt says {word}.\n"}),
        lambda _, answer: answer["message"].removeprefix("Written: "),
        _note_is_there,
    ),
}
"""For each kind of thing: the tool and arguments that create it, its key in the answer, and whether
it exists."""
