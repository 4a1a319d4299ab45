"""Who is notified of changes at the table: only those who can read what changed at that moment."""

import contextlib

import pytest
from harness.rpc import message, modern_meta
from harness.table import HOPE, Game, Listener, listening, replay
from harness.web import Modern

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
INVENTED = f"character://character_{'a' * 26}/sheet"


@contextlib.contextmanager
def both_ears(cast, name: str, *uris: str):
    """Listeners of a person for the same resources, on the stream of a session and without a
    session."""
    seat, modern = cast.seat(name), Modern(cast.http(name))
    seat.subscribe(*uris)
    with listening(seat.client) as classic, modern.listen({"resourceSubscriptions": list(uris)}) as stream:
        accepted = stream.next_named(ACKNOWLEDGED)["params"]["notifications"]
        assert accepted == {"resourceSubscriptions": list(uris)}
        yield classic, Listener(stream)


def open_page(game: Game) -> dict[str, int]:
    """Creates a page for an NPC that everybody can read; returns the argument that attaches it."""
    page = {"entity_type": "character", "name": "Lurker"}
    return {"page_id": game.gail.do("create_entities", entities=[page])["results"][0]["entity_id"]}


def npc(game: Game, reveal: str, **page: int) -> tuple[str, str]:
    """Creates an NPC that is revealed to this degree; returns its id and the URI of its sheet."""
    made = game.gail.do("character_create", campaign_id=game.id, name="Lurker", kind="NPC", **page)["id"]
    game.gail.do("character_update", character_id=made, reveal=reveal)
    return made, f"character://{made}/sheet"


def test_a_sheet_that_is_hidden_again_is_told_of_when_it_is_shown_again(cast, game):
    """Changes to the sheet in between cause no notification."""
    lurker, sheet = npc(game, "SHEET")
    with both_ears(cast, "alice", sheet, game.events) as ears:
        game.gail.do("character_update", character_id=lurker, reveal="NOTHING")
        for stress in (1, 2):
            game.gail.do("character_state_patch", character_id=lurker, stress=stress)
        game.gail.roll(game.session, game.ana)
        for ear in ears:
            ear.wait_for(game.events)
            assert sheet not in ear.uris()
        game.gail.do("character_update", character_id=lurker, reveal="SHEET")
        for ear in ears:
            ear.wait_for(sheet)


def test_an_npc_with_an_open_page_is_told_of_when_it_is_revealed(cast, game):
    """Revealing it changes the campaign and its list of characters."""
    lurker, _ = npc(game, "NOTHING", **open_page(game))
    seen = [game.uri, f"{game.uri}/characters"]
    with both_ears(cast, "alice", *seen) as ears:
        game.gail.do("character_update", character_id=lurker, reveal="NAME")
        for ear in ears:
            for uri in seen:
                ear.wait_for(uri)
    assert "Lurker" in str(cast.seat("alice").read(seen[1]))


def test_listening_is_acknowledged_for_what_can_be_read(cast, game):
    """A hidden sheet looks like one that does not exist; the GM can subscribe to both that
    exist."""
    _, hidden = npc(game, "NOTHING")
    _, named = npc(game, "NAME")
    ana = f"character://{game.ana}/sheet"
    asked = {"resourceSubscriptions": [hidden, INVENTED, named, ana]}
    for name, expected in (("alice", [ana]), ("gail", [hidden, named, ana])):
        with Modern(cast.http(name)).listen(asked) as stream:
            accepted = stream.next_named(ACKNOWLEDGED)["params"]["notifications"]
            assert accepted == {"resourceSubscriptions": expected}, name


def test_what_is_archived_is_not_acknowledged(cast, game):
    """It is missing even for the GM, because it cannot be read until it is restored."""
    game.gail.do("character_update", character_id=game.bor, archived=True)
    asked = {"resourceSubscriptions": [f"character://{game.bor}/sheet", game.events]}
    with Modern(cast.http("gail")).listen(asked) as stream:
        accepted = stream.next_named(ACKNOWLEDGED)["params"]["notifications"]
        assert accepted == {"resourceSubscriptions": [game.events]}


def test_listening_on_stdio_is_acknowledged_alike(cast, game):
    """What does not exist is left out, and the rest is notified."""
    asked = {"resourceSubscriptions": [INVENTED, game.events]}
    with cast.program.stdio() as pipes:
        pipes.send(message("subscriptions/listen", {"notifications": asked, "_meta": modern_meta()}))
        acknowledged = pipes.receive()
        assert acknowledged["method"] == ACKNOWLEDGED
        assert acknowledged["params"]["notifications"] == {"resourceSubscriptions": [game.events]}
        game.gail.roll(game.session, game.ana)
        assert pipes.receive()["params"]["uri"] == game.events


def behind_the_screen(game: Game, **page: int) -> None:
    """Everything that happens without the players, and a refused call of another player."""
    gail, session = game.gail, {"session_id": game.session}
    lurker, _ = npc(game, "NOTHING", **page)
    gail.do("session_note_add", text="x", gm_only=True, **session)
    rolled = gail.roll(game.session, lurker, rng=replay(HOPE))
    gail.do("session_roll_outcome_apply", roll_seq=rolled["roll_seq"], **session)
    gail.do("session_effect_apply", character_ids=[lurker], damage={"amount": 1}, **session)
    gail.do("character_state_patch", character_id=lurker, stress=1)
    gail.do("character_update", character_id=lurker, notes="y", name="Lurker II")
    gail.do("character_update", character_id=lurker, archived=True)
    gail.do("character_update", character_id=lurker, archived=False)
    game.bob.refused("session_action_roll", character_id=game.ana, trait="x", difficulty=1, **session)


@pytest.mark.parametrize("page", [lambda _: {}, open_page], ids=["hidden", "with an open page"])
def test_nobody_hears_what_happens_behind_the_screen(cast, game, page):
    """A notification means that something the subscriber may read has changed, and none of that
    has."""
    gail, page = game.gail, page(game)
    other = gail.do("campaign_create", name="Elsewhere", gm_mode="HUMAN")["id"]
    mark = gail.do("session_start", campaign_id=other)["id"]
    parts = [f"{game.uri}/{part}" for part in ("participants", "characters", "sessions")]
    uris = ["campaigns://list", game.uri, *parts, game.events, f"session://{mark}/events"]
    with both_ears(cast, "alice", *uris) as players, both_ears(cast, "gail", *uris) as gms:
        behind_the_screen(game, **page)
        gail.do("session_note_add", session_id=mark, text="the end")
        for ear in players:
            ear.wait_for(uris[-1])
            assert set(ear.uris()) == {uris[-1]}
        for ear in gms:
            ear.wait_for(uris[-1])
            assert {"campaigns://list", game.uri, f"{game.uri}/characters", game.events} <= set(ear.uris())
