"""What belongs to the GM stays hidden, and nobody changes what is not theirs."""

import base64
import hashlib
import json
import re
import uuid

import pytest

from harness.program import Program
from harness.rpc import error_of
from harness.table import (
    FEAR, HOPE, Cast, Game, Listener, Seat, at_once, listening, payload, replay,
)
from harness.web import Modern

DIFFICULTY = 987654
"""A hidden difficulty that occurs nowhere else."""

SECRETS = {
    "a note for the GM": "quokka-note",
    "a note for the GM about a hero": "quokka-hero",
    "the name of a hidden NPC": "Quokka-Hidden",
    "the notes of a hidden NPC": "quokka-hidden-notes",
    "a trait of a hidden NPC": "quokka-hidden-trait",
    "the notes of an NPC known by name": "quokka-named-notes",
    "later notes of an NPC known by name": "quokka-named-later",
    "a trait of an NPC known by name": "quokka-named-trait",
    "the new name of an NPC that was hidden again": "Quokka-Again",
    "the notes of an NPC that was hidden again": "quokka-again-notes",
    "why a request was rejected": "quokka-rejected",
    "a trait a hidden NPC rolled with": "quokka-rolled",
    "an effect on a hidden NPC": "quokka-effect",
    "an effect on an NPC known by name": "quokka-named-effect",
    "a hidden difficulty": str(DIFFICULTY),
}
OPEN = {
    "the name of an NPC known by name": "Wombat-Named",
    "the name of a revealed NPC": "Wombat-Shown",
    "the notes of a revealed NPC": "wombat-shown-notes",
    "a trait of a revealed NPC": "wombat-shown-trait",
    "an open note": "wombat-note",
    "an effect on a hero": "wombat-effect",
}


class Plot(Game):
    """A game with a secret of every kind, and an open counterpart of each."""

    def __init__(self, cast: Cast):
        super().__init__(cast)
        gail = self.gail
        self.hidden = self.npc(gail, "Quokka-Hidden", "quokka-hidden-notes", "quokka-hidden-trait")
        self.named = self.npc(gail, "Wombat-Named", "quokka-named-notes", "quokka-named-trait")
        self.blank = self.npc(gail, "Blank", "", "agility")
        self.shown = self.npc(gail, "Wombat-Shown", "wombat-shown-notes", "wombat-shown-trait")
        self.again = self.npc(gail, "Once-Shown", "once shown", "agility")
        for character, how in ((self.named, "NAME"), (self.blank, "NAME"), (self.shown, "SHEET"),
                               (self.again, "SHEET"), (self.again, "NOTHING")):
            gail.do("character_update", character_id=character, reveal=how)
        gail.do("character_update", character_id=self.again, name="Quokka-Again", notes="quokka-again-notes")
        gail.do("character_update", character_id=self.blank, notes="quokka-named-later")
        self.play()

    def npc(self, gail: Seat, name: str, notes: str, trait: str) -> str:
        made = gail.do("character_create", campaign_id=self.id, name=name, kind="NPC", notes=notes)["id"]
        gail.do("character_profile_patch", character_id=made, traits={trait: 3})
        return made

    def play(self) -> None:
        """Does everything that a GM does behind the screen."""
        gail = self.gail
        note = {"session_id": self.session}
        gail.do("session_note_add", text="quokka-note", gm_only=True, **note)
        gail.do("session_note_add", text="quokka-hero", gm_only=True, character_id=self.ana, **note)
        gail.do("session_note_add", text="wombat-note", **note)
        self.hard = gail.roll(self.session, self.ana, difficulty=DIFFICULTY, hide_difficulty=True)["roll_seq"]
        for character in (self.hidden, self.again):
            rolled = gail.roll(self.session, character, trait="quokka-rolled", rng=replay(HOPE))
            gail.do("session_roll_outcome_apply", session_id=self.session, roll_seq=rolled["roll_seq"])
            gail.do("character_state_patch", character_id=character, stress=1)
        for character, reason in ((self.hidden, "quokka-effect"), (self.named, "quokka-named-effect"),
                                  (self.ana, "wombat-effect")):
            gail.do("session_effect_apply", session_id=self.session, character_ids=[character], stress=1,
                    reason=reason)
        gail.do("character_profile_patch", character_id=self.named, evasion=9)
        gail.roll(self.session, self.named)
        open_roll = gail.roll(self.session, self.ana, rng=replay(HOPE))["roll_seq"]
        gail.do("session_roll_outcome_apply", session_id=self.session, roll_seq=open_roll,
                targets=[self.ana, self.hidden])
        gail.refused("session_action_roll", session_id=self.session, character_id=self.hidden,
                     trait="quokka-rejected", difficulty=1, use_trait_value=True)
        gail.do("character_state_patch", character_id=self.hidden, stress=0)
        gail.do("character_state_patch", character_id=self.named, stress=0)
        gail.do("character_state_patch", character_id=self.ana, stress=0)
        self.fork = f"campaign://{gail.do('campaign_fork', campaign_id=self.id)['id']}"


@pytest.fixture(scope="module")
def cast(binary, tmp_path_factory):
    cast = Cast(Program(binary, tmp_path_factory.mktemp("cast")), cora="player", dan="player")
    yield cast
    cast.close()


@pytest.fixture(scope="module")
def heard() -> dict[str, list]:
    """The messages that the others receive while the GM plays; filled by `plot`."""
    return {}


@pytest.fixture(scope="module")
def plot(cast, heard):
    """The plot, played once more while Alice and Ray listen to everything that they can."""
    made = Plot(cast)
    with listening(made.alice.client) as alice, listening(made.ray.client) as ray:
        for seat in (made.alice, made.ray):
            parts = [f"{made.uri}/{part}" for part in ("participants", "characters", "sessions")]
            seat.subscribe("campaigns://list", made.uri, *parts, made.events)
        made.play()
        for listener in (alice, ray):
            listener.wait_for("campaigns://list", made.uri, f"{made.uri}/characters", made.events)
    heard |= {"alice": alice.messages, "ray": ray.messages}
    return made


def seen_by(seat: Seat, plot: Plot) -> str:
    """Returns everything that somebody can get at: all that they can read, and the answers to
    attempts to get more."""
    found = []

    def look(method: str, params: dict | None = None) -> dict:
        answer = seat.ask(method, params)
        found.append(answer)
        return answer

    characters = [plot.ana, plot.bor, plot.hidden, plot.named, plot.blank, plot.shown, plot.again]
    uris = ["campaigns://list", "context://current", "lorewell://worlds", f"{plot.events}?limit=1000", plot.uri]
    uris += [f"{campaign}/{part}" for campaign in (plot.uri, plot.fork)
             for part in ("participants", "characters", "sessions")]
    for uri in uris:
        look("resources/read", {"uri": uri})
    for method in ("resources/list", "resources/templates/list", "prompts/list", "tools/list"):
        look(method)
    for template in look("resources/templates/list")["result"]["resourceTemplates"]:
        for variable in re.findall(r"\{(\w+)\}", template["uriTemplate"]):
            for typed in ("", "camp_", "sess_", "character_", "Q", "q"):
                look("completion/complete", {
                    "ref": {"type": "ref/resource", "uri": template["uriTemplate"]},
                    "argument": {"name": variable, "value": typed},
                })
    calls = [("session_log_verify", {"session_id": plot.session}), ("session_recap", {"session_id": plot.session})]
    # The answers do not repeat the query, so secrets can be used as queries.
    calls += [("session_recap", {"session_id": plot.session, "query": secret}) for secret in SECRETS.values()]
    for character in characters:
        calls += [
            ("character_sheet_get", {"character_id": character}),
            ("character_update", {"character_id": character, "reveal": "SHEET"}),
            ("session_note_add", {"session_id": "sess_nope", "text": "x", "character_id": character}),
        ]
        if character not in (plot.ana, plot.bor):
            calls += [
                ("character_state_patch", {"character_id": character, "hp": 1}),
                ("character_profile_patch", {"character_id": character, "evasion": 1}),
                ("character_update", {"character_id": character, "notes": "x"}),
                ("session_effect_apply", {"session_id": plot.session, "character_ids": [character], "heal": 1}),
                ("character_control_set", {"campaign_id": plot.id, "character_id": character, "controller": "GM"}),
                ("session_action_roll", {"session_id": plot.session, "character_id": character, "trait": "agility",
                                         "difficulty": 1, "use_trait_value": True}),
                ("session_roll_outcome_apply", {"session_id": plot.session, "roll_seq": plot.hard,
                                                "targets": [character]}),
            ]
    for tool, arguments in calls:
        look("tools/call", {"name": tool, "arguments": arguments})
    return json.dumps(found)


def occurs(secret: str, text: str) -> bool:
    """Whether a secret occurs in a text as a word of its own, not as a part of a hash."""
    return re.search(rf"(?<![0-9a-zA-Z]){re.escape(secret)}(?![0-9a-zA-Z])", text) is not None


@pytest.fixture(scope="module")
def sights(cast, plot, heard) -> dict[str, str]:
    """What each person sees."""
    modern = Seat(Modern(cast.http("alice")))
    seen = {"alice": seen_by(plot.alice, plot), "alice, stateless": seen_by(modern, plot),
            "ray": seen_by(plot.ray, plot)}
    for name, messages in heard.items():
        seen[f"{name}, on the stream"] = json.dumps(messages)
    uris = ["campaigns://list", f"{plot.uri}/characters", f"{plot.events}?limit=1000"]
    sheets = [plot.gail.do("character_sheet_get", character_id=character)
              for character in (plot.hidden, plot.named, plot.shown, plot.again)]
    return {**seen, "gail": json.dumps([sheets, *(plot.gail.read(uri) for uri in uris)])}


PLAYERS = ["alice", "alice, stateless", "ray", "alice, on the stream", "ray, on the stream"]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("who", PLAYERS)
def test_a_secret_reaches_nobody_but_the_gm(sights, who, secret):
    """No secret is in a tool's answer, a resource, an event, a completion, a recap, an error or a
    notification."""
    assert not occurs(SECRETS[secret], sights[who])


@pytest.mark.parametrize("secret", SECRETS)
def test_the_gm_sees_every_secret(sights, secret):
    """The secrets really exist."""
    assert occurs(SECRETS[secret], sights["gail"])


@pytest.mark.parametrize("thing", OPEN)
def test_what_is_open_reaches_the_players(sights, thing):
    """What is open is not hidden along with the secrets."""
    assert occurs(OPEN[thing], sights["alice"])


def test_the_id_of_a_hidden_npc_reaches_nobody(plot):
    """No list and no event contains its id."""
    for seat in (plot.alice, plot.ray):
        seen = json.dumps([seat.events(plot.session), seat.read(f"{plot.uri}/characters")])
        assert plot.hidden not in seen and plot.again not in seen


def test_a_hidden_npc_is_as_unknown_as_one_that_never_was(plot):
    """The errors differ only in the id."""
    never = "character_" + "a" * 26
    for tool, arguments in (("character_sheet_get", {}), ("character_state_patch", {"hp": 1}),
                            ("character_update", {"notes": "x"})):
        hidden, unknown = (plot.alice.refused(tool, character_id=id, **arguments) for id in (plot.hidden, never))
        assert json.dumps(hidden).replace(plot.hidden, never) == json.dumps(unknown)


def test_hidden_characters_are_not_counted(plot):
    """`character_count` covers the characters that the caller may see."""
    assert plot.gail.read(plot.uri)["campaign"]["character_count"] == 7
    assert plot.alice.read(plot.uri)["campaign"]["character_count"] == 5


def test_a_named_npc_has_no_sheet_for_players(plot):
    """After NAME, the NPC is listed without notes, and its sheet is not found."""
    (listed,) = [found for found in plot.alice.read(f"{plot.uri}/characters")["characters"]
                 if found["id"] == plot.named]
    assert (listed["name"], listed["notes"]) == ("Wombat-Named", "")
    assert plot.alice.refused("character_sheet_get", character_id=plot.named)["code"] == "NOT_FOUND"


def test_a_revealed_npc_has_a_sheet_for_players(plot):
    """After SHEET, everybody sees its notes and numbers."""
    sheet = plot.alice.do("character_sheet_get", character_id=plot.shown)
    assert sheet["character"]["notes"] == "wombat-shown-notes"
    assert sheet["profile"]["traits"] == {"wombat-shown-trait": 3}


def test_a_hidden_difficulty_is_for_the_gm_only(plot):
    """The event says that the difficulty is hidden; its value is in the GM's part."""
    def roll_seen_by(seat):
        (found,) = [event for event in seat.events(plot.session) if event["seq"] == plot.hard]
        return found

    for_gail, for_alice = roll_seen_by(plot.gail), roll_seen_by(plot.alice)
    assert json.loads(for_gail["gm_payload_json"])["difficulty"] == DIFFICULTY
    assert "gm_payload_json" not in for_alice
    assert "difficulty" not in payload(for_alice) and payload(for_alice)["difficulty_hidden"] is True
    assert for_alice["hash"] == for_gail["hash"]


def linked(event: dict, moment: int, secret: str) -> str:
    """Returns the hash of an event for an assumed timestamp and hidden part."""
    hasher = hashlib.sha256(bytes.fromhex(event["prev_hash"]))
    character = uid(event["character_id"]) if "character_id" in event else ""
    participant = uid(event["participant_id"]) if "participant_id" in event else ""
    fields = [str(event["seq"]), str(moment), event["type"], event["request_id"], event["invocation_id"],
              participant, character, event["payload_json"], secret, "", "members"]
    for field in fields:
        data = field.encode()
        hasher.update(len(data).to_bytes(8, "big") + data)
    return hasher.hexdigest()


def uid(id: str) -> str:
    """Returns the UUID in an id."""
    body = id.rsplit("_", 1)[1].upper()
    return str(uuid.UUID(bytes=base64.b32decode(body + "=" * (-len(body) % 8))))


def test_a_hidden_difficulty_cannot_be_guessed_from_the_hash(cast):
    """A player who tries every microsecond near the request, even with the right difficulty, finds
    no match. The same search does find an open roll, so it works."""
    game = Game(cast)
    game.gail.roll(game.session, game.ana, difficulty=17, hide_difficulty=True)
    game.gail.roll(game.session, game.ana, difficulty=17)
    hidden, open_roll = [event for event in game.alice.events(game.session)
                         if event["type"] == "ACTION_ROLL_RESOLVED"]

    def moment_that_fits(event: dict, secret: str) -> int | None:
        begin = int(event["request_id"].replace("-", "")[:12], 16) * 1000
        near = range(begin - 1000, begin + 50_000)
        return next((at for at in near if linked(event, at, secret) == event["hash"]), None)

    assert moment_that_fits(open_roll, "") is not None, "the search works"
    assert moment_that_fits(hidden, json.dumps({"difficulty": 17}, separators=(",", ":"))) is None


def test_the_numbers_of_a_hidden_sheet_do_not_show_in_a_roll(cast):
    """An NPC that is known by name rolls with a trait of its hidden sheet; the trait's value is not
    shown."""
    game = Game(cast)
    npc = game.gail.do("character_create", campaign_id=game.id, name="Named", kind="NPC")["id"]
    game.gail.do("character_profile_patch", character_id=npc, traits={"cunning": 4})
    game.gail.do("character_update", character_id=npc, reveal="NAME")
    game.gail.roll(game.session, npc, trait="cunning", use_trait_value=True)
    for event in game.alice.events(game.session):
        assert payload(event).get("trait_value") is None and payload(event).get("modifier", 0) == 0, event


def test_who_is_given_an_npc_sees_its_sheet_but_not_its_notes(cast):
    """Whoever controls an NPC has to see it: control reveals the sheet, even if only the name was
    known."""
    game = Game(cast)
    npc = game.gail.do("character_create", campaign_id=game.id, name="Named", kind="NPC", notes="quokka-lent")["id"]
    game.gail.do("character_update", character_id=npc, reveal="NAME")
    given = game.gail.do("character_control_set", campaign_id=game.id, character_id=npc,
                         controller=game.seats["alice"])
    assert given["revealed"] is True
    sheet = game.alice.do("character_sheet_get", character_id=npc)
    assert sheet["character"]["name"] == "Named" and sheet["character"]["notes"] == ""
    game.alice.roll(game.session, npc, use_trait_value=True)
    assert "quokka-lent" not in json.dumps(game.alice.events(game.session))


def test_one_call_on_a_hero_and_a_hidden_npc_is_told_in_parts(cast):
    """Everybody reads what happened to the hero as if there were nobody else; only the GM reads the
    rest."""
    game = Game(cast)
    npc = game.gail.do("character_create", campaign_id=game.id, name="Quokka", kind="NPC")["id"]
    game.gail.do("session_effect_apply", session_id=game.session, character_ids=[npc, game.ana],
                 damage={"amount": 9}, reason="Quokka strikes")
    (event,) = [event for event in game.alice.events(game.session) if event["type"] == "DAMAGE_TAKEN"]
    assert payload(event)["targets"] == [game.ana] == [event["character_id"]]
    assert npc not in json.dumps(event) and "Quokka" not in json.dumps(event)
    (event,) = [event for event in game.gail.events(game.session) if event["type"] == "DAMAGE_TAKEN"]
    assert json.loads(event["gm_payload_json"])["targets"] == [npc]


def test_a_note_cannot_name_a_hidden_npc_in_the_open(plot):
    """The GM's call is refused, so that the players do not see the note."""
    arguments = {"session_id": plot.session, "character_id": plot.hidden, "text": "x"}
    assert plot.gail.refused("session_note_add", **arguments)["field"] == "character_id"
    plot.gail.do("session_note_add", gm_only=True, **arguments)


def test_rejected_requests_are_for_the_gm_only(cast):
    """Not even the player who made the request sees it, because the text may name what others must
    not know."""
    game = Game(cast)
    game.alice.refused("session_action_roll", session_id=game.session, character_id=game.bor, trait="x",
                       difficulty=1)
    assert game.gail.events(game.session)[-1]["type"] == "REQUEST_REJECTED"
    for seat in (game.alice, game.bob, game.ray):
        assert "REQUEST_REJECTED" not in [event["type"] for event in seat.events(game.session)]


def test_players_can_verify_a_log_with_secrets(plot):
    """Everybody can verify the chain, hidden events included, without learning anything about
    those."""
    mine = plot.alice.do("session_log_verify", session_id=plot.session)
    theirs = plot.gail.do("session_log_verify", session_id=plot.session)
    assert mine["ok"] and theirs["ok"]
    assert mine["events"] == len(plot.alice.events(plot.session)) < theirs["events"]
    assert mine["rolls"] < theirs["rolls"]


def test_a_player_may_use_a_key_after_a_secret_event(cast):
    """Events for the GM only do not get in the way of a player's call with a key."""
    game = Game(cast)
    game.gail.do("session_note_add", session_id=game.session, text="secret", gm_only=True)
    first = game.alice.roll(game.session, game.ana, idempotency_key="after-a-secret")
    assert game.alice.roll(game.session, game.ana, idempotency_key="after-a-secret") == first


def test_a_roll_applied_in_secret_is_already_applied(cast):
    """The GM has applied Ana's roll to an NPC as well. Alice learns that it was applied, and
    nothing about the NPC."""
    game = Game(cast)
    npc = game.gail.do("character_create", campaign_id=game.id, name="Quokka", kind="NPC")["id"]
    rolled = game.alice.roll(game.session, game.ana)["roll_seq"]
    game.gail.do("session_roll_outcome_apply", session_id=game.session, roll_seq=rolled, targets=[game.ana, npc])
    before = game.gail.events(game.session)
    answer = game.alice.result("session_roll_outcome_apply", {"session_id": game.session, "roll_seq": rolled})
    assert answer["structuredContent"].get("already_applied") is True, answer
    assert npc not in json.dumps(answer) and "Quokka" not in json.dumps(answer)
    assert game.gail.events(game.session) == before


# Permissions


@pytest.fixture(scope="module")
def game(cast):
    """A game for those who are not allowed to change it."""
    return Game(cast)


def test_a_player_cannot_take_the_gms_seat(game):
    """`set_context` with the GM's participant is refused, and the context stays."""
    before = game.alice.read("context://current")
    error = game.alice.refused("set_context", campaign_id=game.id, participant_id=game.seats["gail"])
    assert error["code"] == "PERMISSION_DENIED"
    assert game.alice.read("context://current") == before


def test_a_player_cannot_take_the_seat_of_another(game):
    """Bob's seat is Bob's once he has claimed it."""
    error = game.alice.refused("set_context", campaign_id=game.id, participant_id=game.seats["bob"])
    assert error["code"] == "PERMISSION_DENIED"


def test_a_seat_is_claimed_by_one_of_many(cast):
    """If two players claim a free seat at the same time, one gets it and the other is refused."""
    for _ in range(5):
        game = Game(cast)
        seat = game.gail.do("participant_create", campaign_id=game.id, display_name="free", role="PLAYER")["id"]
        rivals = [cast.seat("cora"), cast.seat("dan")]
        arguments = {"campaign_id": game.id, "participant_id": seat}
        answers = at_once(lambda one=one: one.result("set_context", arguments) for one in rivals)
        lost = [answer["structuredContent"]["code"] for answer in answers if answer.get("isError")]
        assert len(lost) == 1 and lost[0] in ("PERMISSION_DENIED", "CONFLICT"), answers


def test_of_two_seats_at_the_same_moment_a_player_gets_one(cast):
    """The same holds if two clients with one token claim both at once."""
    for _ in range(3):
        game = Game(cast)
        free = [game.gail.do("participant_create", campaign_id=game.id, display_name=name, role="PLAYER")["id"]
                for name in ("one", "two")]
        asked = [(cast.seat("cora"), seat) for seat in free]
        answers = at_once(lambda client=client, seat=seat: client.result(
            "set_context", {"campaign_id": game.id, "participant_id": seat}) for client, seat in asked)
        lost = [answer["structuredContent"]["code"] for answer in answers if answer.get("isError")]
        assert lost == ["FAILED_PRECONDITION"], answers


def test_a_player_cannot_make_a_gm(game):
    """A player can create neither a GM participant nor an NPC nor a campaign."""
    refusals = [
        ("participant_create", {"campaign_id": game.id, "display_name": "x", "role": "GM"}),
        ("character_create", {"campaign_id": game.id, "name": "x", "kind": "NPC"}),
        ("campaign_create", {"name": "x", "gm_mode": "AI"}),
    ]
    for tool, arguments in refusals:
        assert game.alice.refused(tool, **arguments)["code"] == "PERMISSION_DENIED", tool


@pytest.mark.parametrize(("tool", "arguments"), [
    ("campaign_update", {"campaign_id": "id", "name": "x"}),
    ("campaign_fork", {"campaign_id": "id"}),
    ("participant_update", {"participant_id": "alice", "role": "GM"}),
    ("character_control_set", {"campaign_id": "id", "character_id": "bor", "controller": "alice"}),
    ("character_update", {"character_id": "bor", "name": "x"}),
    ("character_update", {"character_id": "ana", "reveal": "NOTHING"}),
    ("character_update", {"character_id": "ana", "archived": True}),
    ("character_profile_patch", {"character_id": "bor", "hp_max": 1}),
    ("character_state_patch", {"character_id": "bor", "hp": 0}),
    ("session_start", {"campaign_id": "id"}),
    ("session_end", {"session_id": "session"}),
    ("session_note_add", {"session_id": "session", "text": "x", "gm_only": True}),
    ("session_action_roll", {"session_id": "session", "character_id": "bor", "trait": "x", "difficulty": 1}),
    ("session_effect_apply", {"session_id": "session", "character_ids": ["bor"], "heal": 1}),
    ("session_effect_apply", {"session_id": "session", "fear": 1}),
    ("session_effect_apply", {"session_id": "session", "countdown": {"name": "Doom", "start": 4}}),
])
def test_a_player_moves_only_what_is_theirs(game, tool, arguments):
    """Changes to what belongs to the GM or to Bob are refused to Alice."""
    known = {"id": game.id, "ana": game.ana, "bor": game.bor, "session": game.session, "alice": game.seats["alice"]}
    arguments = {key: known.get(value, value) if isinstance(value, str) else value
                 for key, value in arguments.items()}
    if "character_ids" in arguments:
        arguments["character_ids"] = [game.bor]
    assert game.alice.refused(tool, **arguments)["code"] == "PERMISSION_DENIED"


def test_a_player_moves_their_own(game):
    """Roll, apply, patch, update and note are within Alice's permissions."""
    rolled = game.alice.roll(game.session, game.ana)
    game.alice.do("session_roll_outcome_apply", session_id=game.session, roll_seq=rolled["roll_seq"])
    game.alice.do("character_state_patch", character_id=game.ana, hp=5)
    game.alice.do("character_profile_patch", character_id=game.ana, evasion=11)
    game.alice.do("character_update", character_id=game.ana, notes="mine")
    game.alice.do("session_note_add", session_id=game.session, text="we rest")


def test_a_player_cannot_apply_the_roll_of_another(game):
    """Only Bob and the GM may apply Bob's roll."""
    rolled = game.bob.roll(game.session, game.bor)["roll_seq"]
    error = game.alice.refused("session_roll_outcome_apply", session_id=game.session, roll_seq=rolled)
    assert error["code"] == "PERMISSION_DENIED"
    assert "already_applied" not in game.bob.do("session_roll_outcome_apply", session_id=game.session,
                                                roll_seq=rolled)


def test_a_player_cannot_take_the_outcome_of_another(game):
    """Alice may not apply Bob's roll to her own character either: that would use it up."""
    rolled = game.bob.roll(game.session, game.bor)["roll_seq"]
    error = game.alice.refused("session_roll_outcome_apply", session_id=game.session, roll_seq=rolled,
                               targets=[game.ana])
    assert error["code"] == "PERMISSION_DENIED"
    assert "already_applied" not in game.bob.do("session_roll_outcome_apply", session_id=game.session,
                                                roll_seq=rolled)


def test_a_player_cannot_apply_to_others(game):
    """Alice applies her own roll, with Bob's character among the targets."""
    rolled = game.alice.roll(game.session, game.ana)["roll_seq"]
    error = game.alice.refused("session_roll_outcome_apply", session_id=game.session, roll_seq=rolled,
                               targets=[game.ana, game.bor])
    assert error["code"] == "PERMISSION_DENIED"


def test_a_gm_applies_to_anybody(game):
    """The GM may apply Bob's roll, also to several characters."""
    rolled = game.bob.roll(game.session, game.bor)["roll_seq"]
    applied = game.gail.do("session_roll_outcome_apply", session_id=game.session, roll_seq=rolled,
                           targets=[game.ana, game.bor, game.ana])
    assert [state["character_id"] for state in applied["updated"]["character_states"]] == [game.ana, game.bor]


@pytest.mark.parametrize("rng", [{"seed": HOPE}, {"seed": HOPE, "roll_mode": "REPLAY"}, {"seed": "0"}])
def test_a_player_cannot_choose_seeds(game, rng):
    """A seed is refused whether it comes alone or with REPLAY."""
    error = game.alice.refused("session_action_roll", session_id=game.session, character_id=game.ana, trait="x",
                               difficulty=1, rng=rng)
    assert error["field"] == "rng"


def test_a_seed_in_live_mode_is_ignored(game):
    """LIVE dice come from the server, whatever seed is sent."""
    rolled = game.alice.roll(game.session, game.ana, rng={"seed": HOPE, "roll_mode": "LIVE"})
    assert rolled["rng"]["seed_source"] == "SERVER" and rolled["rng"]["seed_used"] != HOPE


def test_a_gm_who_acts_as_a_player_cannot_choose_seeds(cast, game):
    """Permissions depend on the participant: as Alice, the GM has Alice's permissions."""
    gail = cast.seat("gail")
    game.take(gail, "alice")
    error = gail.refused("session_action_roll", session_id=game.session, character_id=game.ana, trait="x",
                         difficulty=1, rng=replay(FEAR))
    assert error["field"] == "rng"
    assert gail.refused("session_action_roll", session_id=game.session, character_id=game.bor, trait="x",
                        difficulty=1)["code"] == "PERMISSION_DENIED"


def test_a_player_cannot_hide_difficulties(game):
    """Only the GM may hide a difficulty."""
    error = game.alice.refused("session_action_roll", session_id=game.session, character_id=game.ana, trait="x",
                               difficulty=1, hide_difficulty=True)
    assert error["field"] == "hide_difficulty"


def test_a_player_without_a_seat_moves_nothing(cast, game):
    """A person with a token for the world but no seat at the table may only watch."""
    stranger = cast.seat("cora")
    other = Game(cast)
    assert stranger.read(other.uri)["campaign"]["id"] == other.id
    for tool, arguments in (
        ("session_action_roll", {"session_id": other.session, "character_id": other.ana, "trait": "x",
                                 "difficulty": 1}),
        ("character_state_patch", {"character_id": other.ana, "hp": 0}),
        ("session_note_add", {"session_id": other.session, "text": "x"}),
        ("session_start", {"campaign_id": other.id}),
    ):
        assert stranger.refused(tool, **arguments)["code"] in ("PERMISSION_DENIED", "FAILED_PRECONDITION"), tool
    kinds = {event["type"] for event in game.gail.events(other.session)}
    assert kinds <= {"SESSION_STARTED", "REQUEST_REJECTED"}


def test_a_seat_in_one_campaign_is_none_in_another(cast):
    """Alice plays in two campaigns. With the context of one she controls nobody else in the other.
    Her seat cannot become a GM's seat, which would see more than her token may."""
    first, second = Game(cast), Game(cast)
    refused = first.gail.refused("participant_update", participant_id=first.seats["alice"], role="GM")
    assert refused["code"] == "FAILED_PRECONDITION" and "gm token" in refused["hint"]
    alice = cast.seat("alice")
    first.take(alice, "alice")
    for tool, arguments in (
        ("session_end", {"session_id": second.session}),
        ("session_action_roll", {"session_id": second.session, "character_id": second.bor, "trait": "x",
                                 "difficulty": 1}),
        ("session_note_add", {"session_id": second.session, "text": "x", "gm_only": True}),
    ):
        assert alice.refused(tool, **arguments)["code"] == "PERMISSION_DENIED", tool


def test_a_gm_with_a_players_context_leads_other_campaigns(cast):
    """Acting as a player at one table takes away nothing at another."""
    first, second = Game(cast), Game(cast)
    gail = cast.seat("gail")
    first.take(gail, "alice")
    gail.roll(second.session, second.bor)
    assert gail.do("session_end", session_id=second.session)["status"] == "ENDED"


def test_events_do_not_name_participants_of_other_campaigns(cast):
    """An action at another table is not recorded with the seat at this one."""
    first, second = Game(cast), Game(cast)
    gail = cast.seat("gail")
    first.take(gail, "gail")
    gail.roll(second.session, second.bor)
    assert second.gail.events(second.session)[-1].get("participant_id") != first.seats["gail"]


def test_events_name_who_acted(game):
    """A player's roll has the player's participant."""
    game.alice.roll(game.session, game.ana)
    assert game.gail.events(game.session)[-1]["participant_id"] == game.seats["alice"]


def test_events_name_who_acted_without_a_context(cast, game):
    """The participant is found by the token alone."""
    alice = cast.seat("alice")
    alice.roll(game.session, game.ana)
    assert game.gail.events(game.session)[-1].get("participant_id") == game.seats["alice"]


# Readers and other worlds


WRITES = {
    "set_context": {"campaign_id": "id"},
    "campaign_create": {"name": "x", "gm_mode": "AI"},
    "campaign_update": {"campaign_id": "id", "name": "x"},
    "campaign_fork": {"campaign_id": "id"},
    "participant_create": {"campaign_id": "id", "display_name": "x", "role": "PLAYER"},
    "participant_update": {"participant_id": "alice", "display_name": "x"},
    "character_create": {"campaign_id": "id", "name": "x", "kind": "PC"},
    "character_update": {"character_id": "ana", "name": "x"},
    "character_control_set": {"campaign_id": "id", "character_id": "ana", "controller": "GM"},
    "character_profile_patch": {"character_id": "ana", "hp_max": 1},
    "character_state_patch": {"character_id": "ana", "hp": 1},
    "session_start": {"campaign_id": "id"},
    "session_end": {"session_id": "session"},
    "session_action_roll": {"session_id": "session", "character_id": "ana", "trait": "x", "difficulty": 1},
    "session_roll_outcome_apply": {"session_id": "session", "roll_seq": 3},
    "session_effect_apply": {"session_id": "session", "fear": 1},
    "session_note_add": {"session_id": "session", "text": "x"},
}


def about(game: Game, arguments: dict) -> dict:
    known = {"id": game.id, "ana": game.ana, "session": game.session, "alice": game.seats["alice"]}
    return {key: known.get(value, value) for key, value in arguments.items()}


def state_of(game: Game) -> str:
    parts = [game.uri, *(f"{game.uri}/{part}" for part in ("participants", "characters", "sessions"))]
    sheets = [game.gail.do("character_sheet_get", character_id=id) for id in (game.ana, game.bor)]
    return json.dumps([sheets, game.gail.events(game.session), *map(game.gail.read, parts)])


@pytest.mark.parametrize("tool", WRITES)
def test_a_reader_writes_nothing(game, tool):
    """Every tool that writes is refused to a reader before it has any effect, even recording a
    rejection."""
    before = state_of(game)
    assert game.ray.refused(tool, **about(game, WRITES[tool]))["code"] == "PERMISSION_DENIED"
    assert state_of(game) == before


def test_a_reader_is_offered_no_writes(cast):
    """The tools/list of a reader has only tools that read, and WRITES contains every tool of the
    toolset that writes."""
    declared = {tool["name"] for tool in cast.program.tools("--toolsets", "play")
                if not tool["annotations"]["readOnlyHint"]}
    offered = {tool["name"] for tool in cast.seat("ray").ask("tools/list")["result"]["tools"]}
    assert not declared & offered
    assert declared == set(WRITES), "a new tool that writes belongs into WRITES"


def test_a_reader_reads(game):
    """Lists, sheets of player characters, events and verification are available."""
    assert game.ray.read(game.uri)["campaign"]["id"] == game.id
    assert game.ray.do("character_sheet_get", character_id=game.ana)["character"]["name"] == "Ana"
    assert game.ray.do("session_log_verify", session_id=game.session)["ok"] is True


@pytest.fixture(scope="module")
def elsewhere(cast):
    """The GM of another world on the same server."""
    cast.program.ok("world", "create", "Elsewhere")
    cast.tokens["eve"] = cast.program.ok(
        "--world", "Elsewhere", "token", "create", "--role", "gm", "--name", "eve").strip()
    return cast.seat("eve")


@pytest.mark.parametrize("tool", [tool for tool in WRITES if tool != "campaign_create"])
def test_another_worlds_campaign_is_not_found_by_tools(elsewhere, game, tool):
    """Not even a GM of another world can write here."""
    before = state_of(game)
    assert elsewhere.refused(tool, **about(game, WRITES[tool]))["code"] == "NOT_FOUND"
    assert state_of(game) == before


def test_another_worlds_campaign_is_not_found_by_resources(elsewhere, game):
    """Nor can they read here; their lists and completions contain nothing of this world."""
    for uri in (game.uri, f"{game.uri}/characters", game.events):
        assert elsewhere.unreadable(uri)["data"]["code"] == "NOT_FOUND"
    assert elsewhere.refused("character_sheet_get", character_id=game.ana)["code"] == "NOT_FOUND"
    assert elsewhere.refused("session_log_verify", session_id=game.session)["code"] == "NOT_FOUND"
    seen = json.dumps([elsewhere.read("campaigns://list"), elsewhere.ask("completion/complete", {
        "ref": {"type": "ref/resource", "uri": "campaign://{campaign_id}"},
        "argument": {"name": "campaign_id", "value": ""},
    })])
    assert game.id not in seen


def test_another_world_cannot_be_entered_by_header(elsewhere, cast, game):
    """A token gives no access to another world."""
    with cast.server.client(authorization=f"Bearer {cast.tokens['eve']}", **{"x-lorewell-world": "Main"}) as http:
        answer = Seat(Modern(http)).ask("resources/read", {"uri": game.uri})
    assert "result" not in answer and game.id not in json.dumps(answer["error"].get("data", {}).get("message", ""))


def test_another_worlds_changes_are_not_heard(elsewhere, game):
    """A campaign of another world cannot be subscribed to."""
    for uri in (game.events, game.uri):
        assert error_of(elsewhere.ask("resources/subscribe", {"uri": uri}))["code"] == -32002
    elsewhere.subscribe("campaigns://list")
    with listening(elsewhere.client) as heard:
        game.gail.roll(game.session, game.ana)
        made = elsewhere.do("campaign_create", name="x", gm_mode="AI")["id"]
        heard.wait_for("campaigns://list")
        assert set(heard.uris()) == {"campaigns://list"}
    assert made


def hidden_sheet(game: Game) -> tuple[str, str]:
    """Creates an NPC that nobody knows; returns its id and the URI of its sheet."""
    npc = game.gail.do("character_create", campaign_id=game.id, name="Quokka-Lurking", kind="NPC")["id"]
    return npc, f"character://{npc}/sheet"


def test_a_hidden_sheet_cannot_be_subscribed_to(game):
    """It is not found, like one that does not exist; the GM may subscribe."""
    _, uri = hidden_sheet(game)
    for seat in (game.alice, game.ray):
        error = error_of(seat.ask("resources/subscribe", {"uri": uri}))
        assert error["code"] == -32002 and "Quokka" not in json.dumps(error)
    game.gail.subscribe(uri)


def test_a_hidden_sheet_is_not_listened_to(game, cast):
    """A client without a session is notified of the log but not of the sheet."""
    npc, uri = hidden_sheet(game)
    with Modern(cast.http("alice")).listen({"resourceSubscriptions": [uri, game.events]}) as stream:
        heard = Listener(stream)
        game.gail.do("character_state_patch", character_id=npc, stress=1)
        game.gail.roll(game.session, game.ana)
        heard.wait_for(game.events)
        assert set(heard.uris()) == {game.events}
