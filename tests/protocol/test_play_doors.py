"""The permissions of the table also hold for players who come in through other doors."""

import pytest

from harness.table import Game


@pytest.fixture(scope="module")
def game(cast):
    return Game(cast)


def node(identifier: str) -> str:
    """Returns the node id by which the memory tools know a thing of the table."""
    return "node_" + identifier.split("_", 1)[1]


def rows(seat, tool: str, **arguments) -> list[dict]:
    """Returns the result rows of a call of a pages tool."""
    return seat.result(tool, arguments)["structuredContent"]["results"]


def pages_named(seat, name: str) -> list[dict]:
    return seat.result("find_entities", {"name": name})["structuredContent"]["entities"]


def remembered(seat, **arguments) -> dict:
    """Returns the answer of `kn_graph`."""
    return seat.result("kn_graph", arguments)["structuredContent"]


def is_refused(answer: dict) -> bool:
    """Whether a call failed. The memory tools have their own form of errors, but not for missing
    permissions."""
    return "error" in answer or answer.get("code") == "PERMISSION_DENIED"


@pytest.mark.parametrize("who", ["alice", "bob", "gail"])
@pytest.mark.parametrize("what", ["id", "session", "seat"])
def test_campaigns_sessions_and_seats_are_not_removed_as_nodes(game, who, what):
    thing = game.seats["gail"] if what == "seat" else getattr(game, what)
    answer = remembered(getattr(game, who), action="remove", node_id=node(thing))
    assert is_refused(answer), answer
    assert game.gail.read(game.uri)
    game.gail.roll(game.session, game.ana)


def test_what_somebody_else_made_is_not_removed_by_a_player(game):
    answer = remembered(game.alice, action="remove", node_id=node(game.bor))
    assert is_refused(answer), answer
    game.bob.roll(game.session, game.bor)


def test_nobody_gets_hold_of_a_character_by_an_edge(game):
    ends = {"source_id": node(game.seats["alice"]), "target_id": node(game.bor), "edge_type": "controls"}
    assert is_refused(remembered(game.alice, action="connect", **ends))
    assert game.alice.refused("session_action_roll", session_id=game.session, character_id=game.bor,
                              trait="agility", difficulty=10)["code"] == "PERMISSION_DENIED"
    ends["source_id"] = node(game.seats["bob"])
    assert is_refused(remembered(game.alice, action="remove", **ends))
    belongs = {"source_id": node(game.bor), "target_id": node(game.id), "edge_type": "part_of"}
    assert is_refused(remembered(game.alice, action="remove", **belongs))
    game.bob.roll(game.session, game.bor)


def test_a_players_own_nodes_and_edges_are_theirs(game):
    one, two = (remembered(game.alice, action="add", name=name, type="concept")["id"] for name in ("Tide", "Moon"))
    ends = {"source_id": one, "target_id": two, "edge_type": "part_of"}
    assert not is_refused(remembered(game.alice, action="connect", **ends))
    assert is_refused(remembered(game.bob, action="remove", **ends))
    assert is_refused(remembered(game.bob, action="remove", node_id=one))
    assert not is_refused(remembered(game.alice, action="remove", **ends))
    assert not is_refused(remembered(game.alice, action="remove", node_id=one))


def test_pages_of_others_are_not_changed_by_a_player(game):
    number = pages_named(game.alice, "Bor")[0]["entity_id"]
    change = {"entity_id": number, "name": "HACKED", "is_private": True}
    (row,) = rows(game.alice, "update_entities", updates=[change])
    assert not row["success"] and "not yours" in row["error"], row
    assert game.alice.refused("delete_entities", entity_ids=[number])["code"] == "PERMISSION_DENIED"
    assert pages_named(game.bob, "Bor")[0]["name"] == "Bor"
    (row,) = rows(game.gail, "update_entities", updates=[{"entity_id": number, "name": "Bor"}])
    assert row["success"], row


def test_pages_of_their_own_are_changed_by_a_player(game):
    (made,) = rows(game.alice, "create_entities", entities=[{"entity_type": "note", "name": "Diary", "is_hidden": False}])
    change = {"entity_id": made["entity_id"], "name": "Diary of Ana"}
    (row,) = rows(game.alice, "update_entities", updates=[change])
    assert row["success"], row


def test_notes_of_a_session_are_remembered_by_who_may_read_them(game):
    """Notes of a session are found later, and the GM's notes by the GM alone."""
    game.gail.do("session_note_add", session_id=game.session, text="The lighthouse keeper lied about the wreck.")
    game.gail.do("session_note_add", session_id=game.session, text="The wreck holds a cursed astrolabe.", gm_only=True)

    def recalled(seat, topic):
        found = seat.result("kn_intel", {"action": "recall", "topic": topic})["structuredContent"]
        return str(found["results"])

    assert "lighthouse keeper lied" in recalled(game.alice, "who lied about the wreck?")
    assert "cursed astrolabe" in recalled(game.gail, "cursed astrolabe")
    assert "astrolabe" not in recalled(game.alice, "cursed astrolabe")
    documents = game.alice.result("knowledge_search", {"query": "lighthouse keeper"})["structuredContent"]
    assert "lighthouse keeper lied" in str(documents["results"])


def test_a_recap_leaves_out_what_was_not_there(game):
    """A countdown that began in the session has no earlier value; the schema has no null for it."""
    game.gail.do("session_effect_apply", session_id=game.session, countdown={"name": "doom", "start": 4})
    changes = game.gail.do("session_recap", session_id=game.session)["changes"]
    (countdowns,) = [change for change in changes if change["field"] == "countdowns"]
    assert "before" not in countdowns and countdowns["after"]
