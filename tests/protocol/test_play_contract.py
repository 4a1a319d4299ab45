"""The contract's examples for campaigns, characters and sessions, over HTTP and over stdio."""

import itertools
import json

import pytest

from harness.rpc import result_of
from harness.table import EIGHT_AND_FIVE, HOPE, Seat, holds, identifier, moment, payload, replay
from harness.web import Session

THEME = "A dark fantasy campaign set in a cursed forest"
PAST = "Dwarf warrior with a mysterious past"
EVENING = "Session 1: The Journey Begins"
MANY = 60
NAMES = (f"n{number}" for number in itertools.count())


@pytest.fixture(params=["http", "stdio"])
def seat(request, shared, web):
    """The owner of the world, in a new session on one of the transports."""
    if request.param == "http":
        yield Seat(Session(web).open())
    else:
        with shared.program.stdio() as pipes:
            pipes.initialize()
            yield Seat(pipes)


@pytest.fixture
def on_http(web):
    """The owner of the world, where the transport does not matter."""
    return Seat(Session(web).open())


@pytest.fixture
def idle(on_http) -> str:
    return on_http.do("campaign_create", name="x", gm_mode="AI")["id"]


@pytest.fixture
def campaign(seat) -> str:
    arguments = {"name": "The Lost Expedition", "gm_mode": "HUMAN", "theme_prompt": THEME}
    return seat.do("campaign_create", **arguments)["id"]


@pytest.fixture
def alice(seat, campaign) -> str:
    arguments = {"display_name": "Alice", "role": "PLAYER", "controller": "HUMAN"}
    return seat.do("participant_create", campaign_id=campaign, **arguments)["id"]


@pytest.fixture
def thorin(seat, campaign) -> str:
    """The character of the contract's examples, with its sheet."""
    arguments = {"name": "Thorin Ironforge", "kind": "PC", "notes": PAST}
    character = seat.do("character_create", campaign_id=campaign, **arguments)["id"]
    seat.do("character_profile_patch", character_id=character, traits={"bravery": 2, "insight": 1}, hp_max=12,
            stress_max=6, evasion=12, major_threshold=6, severe_threshold=10)
    seat.do("character_state_patch", character_id=character, hope=3, stress=1, hp=10)
    return character


@pytest.fixture
def evening(seat, campaign) -> str:
    return seat.do("session_start", campaign_id=campaign, name=EVENING)["id"]


# Tools


def test_set_context_answers_with_what_is_set(seat, campaign, alice, evening):
    """The answer contains the whole context, as in the contract."""
    wanted = {"campaign_id": campaign, "session_id": evening, "participant_id": alice}
    holds(seat.do("set_context", **wanted), {"context": wanted})


def test_set_context_clears_what_is_left_out(seat, campaign, alice, evening):
    """An optional field that is left out is cleared, and then missing from the answer."""
    seat.do("set_context", campaign_id=campaign, session_id=evening, participant_id=alice)
    assert seat.do("set_context", campaign_id=campaign)["context"] == {"campaign_id": campaign}
    assert seat.read("context://current")["context"]["session_id"] is None


def test_a_failed_set_context_changes_nothing(seat, campaign, alice):
    """The previous context stays if a part of the new one does not exist."""
    seat.do("set_context", campaign_id=campaign, participant_id=alice)
    before = seat.read("context://current")
    seat.refused("set_context", campaign_id=campaign, session_id="sess_nope")
    assert seat.read("context://current") == before


def test_campaign_create_answers_the_example(seat):
    """A new campaign has an id, its settings and counts of zero."""
    made = seat.do("campaign_create", name="The Lost Expedition", gm_mode="HUMAN", theme_prompt=THEME)
    holds(made, {
        "id": identifier, "name": "The Lost Expedition", "gm_mode": "HUMAN", "participant_count": 0,
        "character_count": 0, "gm_fear": 0, "theme_prompt": THEME,
    })


def test_participant_create_answers_the_example(seat, campaign):
    """A new participant has an id, its campaign and its timestamps."""
    arguments = {"campaign_id": campaign, "display_name": "Alice", "role": "PLAYER", "controller": "HUMAN"}
    made = seat.do("participant_create", **arguments)
    holds(made, {"id": identifier, **arguments, "created_at": moment, "updated_at": moment})


def test_character_create_answers_the_example(seat, campaign):
    """A new character has an id, its campaign, its notes and its timestamps."""
    arguments = {"campaign_id": campaign, "name": "Thorin Ironforge", "kind": "PC", "notes": PAST}
    made = seat.do("character_create", **arguments)
    holds(made, {"id": identifier, **arguments, "created_at": moment, "updated_at": moment})


def test_character_control_set_answers_the_example(seat, campaign, thorin, alice):
    """The answer echoes who controls the character now."""
    arguments = {"campaign_id": campaign, "character_id": thorin, "controller": alice}
    holds(seat.do("character_control_set", **arguments), arguments)


def test_character_control_can_go_back_to_the_gm(seat, campaign, thorin, alice):
    """GM, in any case, means the game master, and the list of characters shows the controller."""
    seat.do("character_control_set", campaign_id=campaign, character_id=thorin, controller=alice)
    (listed,) = seat.read(f"campaign://{campaign}/characters")["characters"]
    assert listed["controller"] == alice
    set_back = seat.do("character_control_set", campaign_id=campaign, character_id=thorin, controller=" gm ")
    assert set_back["controller"] == "GM"
    (listed,) = seat.read(f"campaign://{campaign}/characters")["characters"]
    assert listed["controller"] == "GM"


def test_character_sheet_get_answers_the_example(seat, campaign, thorin):
    """The answer has the character, the profile and the state."""
    seat.do("set_context", campaign_id=campaign)
    sheet = seat.do("character_sheet_get", character_id=thorin)
    holds(sheet, {
        "character": {
            "id": thorin, "campaign_id": campaign, "name": "Thorin Ironforge", "kind": "PC", "notes": PAST,
            "created_at": moment, "updated_at": moment,
        },
        "profile": {
            "character_id": thorin, "hp_max": 12, "stress_max": 6, "evasion": 12, "major_threshold": 6,
            "severe_threshold": 10,
        },
        "state": {"character_id": thorin, "hope": 3, "stress": 1, "hp": 10},
    })
    assert sheet["profile"]["traits"] == {"bravery": 2, "insight": 1}


def test_character_profile_patch_answers_the_example(seat, campaign, thorin):
    """Every given field replaces the stored one; traits are replaced as a whole."""
    seat.do("set_context", campaign_id=campaign)
    patch = {
        "hp_max": 14, "stress_max": 7, "evasion": 13, "major_threshold": 7, "severe_threshold": 11,
        "traits": {"bravery": 3, "insight": 2},
    }
    patched = seat.do("character_profile_patch", character_id=thorin, **patch)
    holds(patched, {"profile": {"character_id": thorin, **patch}})
    assert patched["profile"]["traits"] == patch["traits"]


def test_character_profile_patch_leaves_other_fields_alone(seat, thorin):
    """All fields are optional."""
    before = seat.do("character_sheet_get", character_id=thorin)["profile"]
    patched = seat.do("character_profile_patch", character_id=thorin, evasion=9)["profile"]
    assert patched == {**before, "evasion": 9}


def test_character_state_patch_answers_the_example(seat, campaign, thorin):
    """Hope, stress and hit points are set to the given values."""
    seat.do("set_context", campaign_id=campaign)
    patched = seat.do("character_state_patch", character_id=thorin, hope=4, stress=2, hp=9)
    holds(patched, {"state": {"character_id": thorin, "hope": 4, "stress": 2, "hp": 9}})


def test_character_state_patch_leaves_other_fields_alone(seat, thorin):
    """All fields are optional."""
    patched = seat.do("character_state_patch", character_id=thorin, stress=5)
    holds(patched, {"state": {"character_id": thorin, "hope": 3, "stress": 5, "hp": 10}})


def test_session_start_answers_the_example(seat, campaign):
    """A new session is ACTIVE and has no end."""
    started = seat.do("session_start", campaign_id=campaign, name=EVENING)
    holds(started, {
        "id": identifier, "campaign_id": campaign, "name": EVENING, "status": "ACTIVE",
        "started_at": moment, "updated_at": moment,
    })
    assert "ended_at" not in started


def test_session_end_answers_the_example(seat, campaign, evening):
    """An ended session is ENDED and has an end."""
    ended = seat.do("session_end", campaign_id=campaign, session_id=evening)
    holds(ended, {
        "id": evening, "campaign_id": campaign, "name": EVENING, "status": "ENDED",
        "started_at": moment, "updated_at": moment, "ended_at": moment,
    })
    assert ended["ended_at"] == ended["updated_at"] >= ended["started_at"]


def test_session_end_takes_both_from_the_context(seat, campaign, evening):
    """campaign_id and session_id default to the context."""
    seat.do("set_context", campaign_id=campaign, session_id=evening)
    assert seat.do("session_end")["id"] == evening


def test_ending_twice_changes_nothing(seat, evening):
    """The second end answers like the first and adds no event."""
    assert seat.do("session_end", session_id=evening) == seat.do("session_end", session_id=evening)
    assert [event["type"] for event in seat.events(evening)] == ["SESSION_STARTED", "SESSION_ENDED"]


def test_a_new_session_can_start_after_the_old_one(seat, campaign, evening):
    """Ending a session clears the campaign's active session."""
    assert seat.read(f"campaign://{campaign}")["campaign"]["active_session_id"] == evening
    seat.do("session_end", session_id=evening)
    assert "active_session_id" not in seat.read(f"campaign://{campaign}")["campaign"]
    assert seat.do("session_start", campaign_id=campaign)["status"] == "ACTIVE"


def test_session_action_roll_answers_the_example(seat, campaign, thorin, evening):
    """Dice of 8 and 5 and a modifier of 2 against 10: the trait is a label and adds nothing."""
    rolled = seat.do("session_action_roll", campaign_id=campaign, session_id=evening, character_id=thorin,
                     trait="bravery", difficulty=10, modifiers=[{"source": "skill", "value": 2}],
                     rng=replay(EIGHT_AND_FIVE))
    holds(rolled, {
        "hope_die": 8, "fear_die": 5, "total": 15, "difficulty": 10, "success": True, "flavor": "HOPE",
        "crit": False, "roll_seq": 3,
    })


def test_session_action_roll_takes_both_from_the_context(seat, campaign, thorin, evening):
    """campaign_id and session_id default to the context."""
    seat.do("set_context", campaign_id=campaign, session_id=evening)
    rolled = seat.do("session_action_roll", character_id=thorin, trait="bravery", difficulty=10)
    assert [event["seq"] for event in seat.events(evening)][-1] == rolled["roll_seq"]


def test_a_roll_appends_what_was_asked_and_what_came_of_it(seat, thorin, evening):
    """A roll adds the events ACTION_ROLL_REQUESTED and ACTION_ROLL_RESOLVED, with the same request
    and invocation ids."""
    seat.roll(evening, thorin, trait="bravery", modifiers=[{"source": "skill", "value": 2}])
    asked, resolved = seat.events(evening)[1:]
    assert (asked["type"], resolved["type"]) == ("ACTION_ROLL_REQUESTED", "ACTION_ROLL_RESOLVED")
    for key in ("request_id", "invocation_id", "character_id", "session_id"):
        assert asked[key] == resolved[key] and asked[key], key
    holds(payload(asked), {
        "character_id": thorin, "trait": "bravery", "difficulty": 10,
        "modifiers": [{"source": "skill", "value": 2}],
    })


def test_use_trait_value_adds_the_trait(seat, thorin, evening):
    """It is off by default; if it is on, the trait's value on the sheet is added."""
    plain = seat.roll(evening, thorin, trait="bravery", rng=replay(HOPE))
    added = seat.roll(evening, thorin, trait="bravery", rng=replay(HOPE), use_trait_value=True)
    assert added["total"] == plain["total"] + 2


def test_session_roll_outcome_apply_answers_the_example(seat, thorin, evening):
    """With Hope, the roller gains one, and no complication is required."""
    seat.do("character_state_patch", character_id=thorin, hope=2)
    rolled = seat.roll(evening, thorin, rng=replay(HOPE))
    applied = seat.do("session_roll_outcome_apply", session_id=evening, roll_seq=rolled["roll_seq"],
                      targets=[thorin])
    holds(applied, {
        "roll_seq": rolled["roll_seq"], "requires_complication": False,
        "updated": {"character_states": [{"character_id": thorin, "hope": 3, "stress": 1, "hp": 10}]},
    })


def test_an_applied_roll_takes_session_and_target_from_the_context(seat, campaign, thorin, evening):
    """`session_id` defaults to the context, `targets` to the character that rolled."""
    seat.do("set_context", campaign_id=campaign, session_id=evening)
    rolled = seat.do("session_action_roll", character_id=thorin, trait="bravery", difficulty=10)
    applied = seat.do("session_roll_outcome_apply", roll_seq=rolled["roll_seq"])
    assert [state["character_id"] for state in applied["updated"]["character_states"]] == [thorin]


def test_applying_appends_what_was_asked_and_what_changed(seat, thorin, evening):
    """Adds OUTCOME_APPLY_REQUESTED and OUTCOME_APPLIED, the second with every change before and
    after."""
    rolled = seat.roll(evening, thorin, rng=replay(HOPE))
    seat.do("session_roll_outcome_apply", session_id=evening, roll_seq=rolled["roll_seq"])
    asked, applied = seat.events(evening)[-2:]
    assert (asked["type"], applied["type"]) == ("OUTCOME_APPLY_REQUESTED", "OUTCOME_APPLIED")
    holds(payload(asked), {"roll_seq": rolled["roll_seq"], "targets": [thorin]})
    holds(payload(applied), {
        "roll_seq": rolled["roll_seq"], "targets": [thorin], "requires_complication": False,
        "applied_changes": [{"character_id": thorin, "field": "hope", "before": 3, "after": 4}],
    })


def test_an_effect_concerns_each_character_once(seat, thorin, evening):
    """An id that is given twice counts once, as for the targets of a roll."""
    hit = seat.do("session_effect_apply", session_id=evening, character_ids=[thorin, thorin], stress=1)
    assert [state["stress"] for state in hit["character_states"]] == [2]


# Archiving and restoring


def test_what_is_archived_is_not_listed(seat, campaign, alice, thorin):
    """Participants, characters and campaigns leave their lists and counts, and come back
    unchanged."""
    uris = [f"campaign://{campaign}/participants", f"campaign://{campaign}/characters", f"campaign://{campaign}"]
    before = [seat.read(uri) for uri in uris[:2]]
    for archived in (True, False):
        seat.do("participant_update", participant_id=alice, archived=archived)
        seat.do("character_update", character_id=thorin, archived=archived)
        counts = seat.read(uris[2])["campaign"]
        assert (counts["participant_count"], counts["character_count"]) == ((0, 0) if archived else (1, 1))
    for uri, was in zip(uris, before):
        (found,), (wanted,) = *seat.read(uri).values(), *was.values()
        assert {**found, "updated_at": ""} == {**wanted, "updated_at": ""}
    seat.do("campaign_update", campaign_id=campaign, archived=True)
    assert seat.unreadable(uris[2])["code"] == -32002
    assert campaign not in [found["id"] for found in seat.read("campaigns://list")["campaigns"]]
    seat.do("campaign_update", campaign_id=campaign, archived=False)
    assert seat.read(uris[2])["campaign"]["character_count"] == 1


def test_restoring_a_campaign_answers_with_its_counts_and_fear(on_http, idle):
    """The answer is the campaign as it is now, with its counts and Fear."""
    hero = on_http.do("character_create", campaign_id=idle, name="x", kind="PC")["id"]
    session = on_http.do("session_start", campaign_id=idle)["id"]
    on_http.do("session_effect_apply", session_id=session, fear=3)
    on_http.do("session_end", session_id=session)
    on_http.do("campaign_update", campaign_id=idle, archived=True)
    restored = on_http.do("campaign_update", campaign_id=idle, archived=False)
    assert hero and (restored["character_count"], restored["gm_fear"]) == (1, 3)
    assert restored == on_http.read(f"campaign://{idle}")["campaign"]


def test_restoring_a_character_answers_with_its_controller(on_http, idle):
    """The answer is the character as it is now, with its controller and notes."""
    arguments = {"campaign_id": idle, "name": "x", "kind": "PC", "notes": "kept"}
    hero = on_http.do("character_create", **arguments)["id"]
    player = on_http.do("participant_create", campaign_id=idle, display_name="x", role="PLAYER")["id"]
    on_http.do("character_control_set", campaign_id=idle, character_id=hero, controller=player)
    on_http.do("character_update", character_id=hero, archived=True)
    restored = on_http.do("character_update", character_id=hero, archived=False)
    assert (restored["controller"], restored["notes"]) == (player, "kept")


# Resources


def campaign_of_three_and_two(seat, campaign: str) -> dict:
    """Fills a campaign as in the contract's example and returns what it must look like."""
    for name in ("Gail", "Alice", "Bob"):
        role = "GM" if name == "Gail" else "PLAYER"
        seat.do("participant_create", campaign_id=campaign, display_name=name, role=role)
    for name, kind in (("Thorin", "PC"), ("Goblin", "NPC")):
        seat.do("character_create", campaign_id=campaign, name=name, kind=kind)
    return {
        "id": campaign, "name": "The Lost Expedition", "gm_mode": "HUMAN", "participant_count": 3,
        "character_count": 2, "theme_prompt": THEME, "created_at": moment, "updated_at": moment,
    }


def test_campaigns_are_listed_as_in_the_example(seat, campaign):
    """campaigns://list has every campaign with its counts."""
    wanted = campaign_of_three_and_two(seat, campaign)
    listed = seat.read("campaigns://list")["campaigns"]
    (mine,) = [found for found in listed if found["id"] == campaign]
    holds(mine, wanted)


def test_a_campaign_is_read_as_in_the_example(seat, campaign):
    """campaign://{campaign_id} has one campaign."""
    wanted = campaign_of_three_and_two(seat, campaign)
    holds(seat.read(f"campaign://{campaign}"), {"campaign": wanted})


def test_participants_are_listed_as_in_the_example(seat, campaign, alice):
    """campaign://{campaign_id}/participants."""
    holds(seat.read(f"campaign://{campaign}/participants"), {"participants": [{
        "id": alice, "campaign_id": campaign, "display_name": "Alice", "role": "PLAYER",
        "controller": "HUMAN", "created_at": moment, "updated_at": moment,
    }]})


def test_characters_are_listed_as_in_the_example(seat, campaign, thorin):
    """campaign://{campaign_id}/characters."""
    holds(seat.read(f"campaign://{campaign}/characters"), {"characters": [{
        "id": thorin, "campaign_id": campaign, "name": "Thorin Ironforge", "kind": "PC", "notes": PAST,
        "created_at": moment, "updated_at": moment,
    }]})


def test_sessions_are_listed_as_in_the_example(seat, campaign, evening):
    """campaign://{campaign_id}/sessions; only ended sessions have `ended_at`."""
    wanted = {
        "id": evening, "campaign_id": campaign, "name": EVENING, "status": "ACTIVE",
        "started_at": moment, "updated_at": moment,
    }
    listed = seat.read(f"campaign://{campaign}/sessions")
    holds(listed, {"sessions": [wanted]})
    assert "ended_at" not in listed["sessions"][0]
    seat.do("session_end", session_id=evening)
    listed = seat.read(f"campaign://{campaign}/sessions")
    holds(listed, {"sessions": [{**wanted, "status": "ENDED", "ended_at": moment}]})


def test_events_are_listed_as_in_the_example(seat, campaign, evening):
    """session://{session_id}/events begins with SESSION_STARTED, whose payload has the campaign."""
    def text(found):
        return isinstance(found, str) and found != ""

    listed = seat.read(f"session://{evening}/events")
    holds(listed, {"events": [{
        "session_id": evening, "seq": 1, "ts": moment, "type": "SESSION_STARTED", "request_id": text,
        "invocation_id": text, "payload_json": json.dumps({"campaign_id": campaign}, separators=(",", ":")),
    }]})


def test_events_are_listed_newest_first(seat, thorin, evening):
    """The events are in descending order of `seq`."""
    for _ in range(3):
        seat.roll(evening, thorin)
    listed = [event["seq"] for event in seat.read(f"session://{evening}/events")["events"]]
    assert listed == list(range(7, 0, -1))


def test_the_context_is_read_as_in_the_example(seat, campaign, alice):
    """context://current shows unset parts as null."""
    seat.do("set_context", campaign_id=campaign, participant_id=alice)
    assert seat.read("context://current") == {
        "context": {"campaign_id": campaign, "session_id": None, "participant_id": alice},
    }


def test_concrete_resources_are_listed(seat):
    """The two URIs without variables are among the resources."""
    listed = seat.ask("resources/list")["result"]["resources"]
    found = {entry["uri"]: entry for entry in listed}
    for uri in ("campaigns://list", "context://current"):
        assert found[uri]["mimeType"] == "application/json" and found[uri]["name"]


def test_the_other_resources_are_templates(seat):
    """The five URIs with variables are among the templates; the events have query parameters for
    paging."""
    listed = seat.ask("resources/templates/list")["result"]["resourceTemplates"]
    found = {entry["uriTemplate"] for entry in listed}
    campaign = "campaign://{campaign_id}"
    assert {campaign, *(f"{campaign}/{part}" for part in ("participants", "characters", "sessions"))} <= found
    assert "session://{session_id}/events{?after_seq,before_seq,limit}" in found


# Lists


@pytest.mark.parametrize("template", [
    "session://{session_id}/events", "session://{session_id}/events{?after_seq,before_seq,limit}",
])
def test_session_ids_are_completed_for_either_spelling_of_the_log(seat, evening, template):
    """The contract writes the log's URI without query parameters."""
    found = seat.ask("completion/complete", {
        "ref": {"type": "ref/resource", "uri": template}, "argument": {"name": "session_id", "value": evening[:-4]},
    })
    assert result_of(found)["completion"]["values"] == [evening]


def test_empty_lists_are_empty_arrays(seat, campaign):
    """The lists of an empty campaign are empty arrays, not null."""
    for part in ("participants", "characters", "sessions"):
        assert seat.read(f"campaign://{campaign}/{part}") == {part: []}


def test_a_world_without_campaigns_lists_none(program):
    """campaigns://list is [] before the first campaign."""
    with program.stdio() as pipes:
        pipes.initialize()
        assert Seat(pipes).read("campaigns://list") == {"campaigns": []}


def test_every_campaign_is_listed(on_http):
    """More than fifty campaigns are all in the list."""
    made = [on_http.do("campaign_create", name=next(NAMES), gm_mode="AI")["id"] for _ in range(MANY)]
    listed = [found["id"] for found in on_http.read("campaigns://list")["campaigns"]]
    assert set(made) <= set(listed) and len(set(listed)) == len(listed)


def test_every_participant_is_listed(on_http, idle):
    """More than fifty participants are all in the list, and counted."""
    made = [on_http.do("participant_create", campaign_id=idle, display_name=next(NAMES), role="PLAYER")["id"]
            for _ in range(MANY)]
    assert [found["id"] for found in on_http.read(f"campaign://{idle}/participants")["participants"]] == made
    assert on_http.read(f"campaign://{idle}")["campaign"]["participant_count"] == MANY


def test_every_character_is_listed(on_http, idle):
    """More than fifty characters are all in the list, and counted."""
    made = [on_http.do("character_create", campaign_id=idle, name=next(NAMES), kind="NPC")["id"]
            for _ in range(MANY)]
    assert [found["id"] for found in on_http.read(f"campaign://{idle}/characters")["characters"]] == made
    assert on_http.read(f"campaign://{idle}")["campaign"]["character_count"] == MANY


def test_every_session_is_listed(on_http, idle):
    """More than fifty sessions are all in the list."""
    made = []
    for _ in range(MANY):
        made.append(on_http.do("session_start", campaign_id=idle)["id"])
        on_http.do("session_end", session_id=made[-1])
    assert [found["id"] for found in on_http.read(f"campaign://{idle}/sessions")["sessions"]] == made


# Normalization of arguments


def test_words_are_read_in_any_case_and_shown_in_capitals(seat):
    """Applies to `gm_mode`, `role`, `controller` and `kind`."""
    made = seat.do("campaign_create", name="x", gm_mode=" hybrid ")
    assert made["gm_mode"] == "HYBRID"
    person = seat.do("participant_create", campaign_id=made["id"], display_name="x", role="gm", controller="Ai")
    assert (person["role"], person["controller"]) == ("GM", "AI")
    assert seat.do("character_create", campaign_id=made["id"], name="x", kind="nPc")["kind"] == "NPC"


def test_the_controller_defaults_to_a_human(seat, campaign):
    """`controller` may be left out."""
    made = seat.do("participant_create", campaign_id=campaign, display_name="x", role="PLAYER")
    assert made["controller"] == "HUMAN"


def test_names_and_notes_are_trimmed(seat, campaign):
    """Whitespace around names and notes is removed."""
    assert seat.do("campaign_create", name="  Ash fall ", gm_mode="AI")["name"] == "Ash fall"
    person = seat.do("participant_create", campaign_id=campaign, display_name="\tAlice B. ", role="PLAYER")
    assert person["display_name"] == "Alice B."
    character = seat.do("character_create", campaign_id=campaign, name=" Thorin ", kind="PC", notes=" old\n")
    assert (character["name"], character["notes"]) == ("Thorin", "old")
    assert seat.do("session_start", campaign_id=campaign, name=" One ")["name"] == "One"


def test_the_theme_is_kept_to_the_letter(seat):
    """`theme_prompt` is not trimmed, in the answer or in the resource."""
    theme = "  line one\n\n\tline two  \n"
    made = seat.do("campaign_create", name="x", gm_mode="AI", theme_prompt=theme)
    assert made["theme_prompt"] == theme
    assert seat.read(f"campaign://{made['id']}")["campaign"]["theme_prompt"] == theme


def test_ids_are_read_with_blanks_around_them(seat, campaign):
    """An id that was copied with a space is still valid."""
    made = seat.do("participant_create", campaign_id=f" {campaign} ", display_name="x", role="PLAYER")
    assert made["campaign_id"] == campaign


def test_whole_numbers_may_be_written_with_a_point(seat, thorin):
    """4.0 is an integer in JSON Schema, and therefore in the published schema; some clients send
    it."""
    assert seat.do("character_state_patch", character_id=thorin, hope=4.0)["state"]["hope"] == 4


def test_a_new_player_character_has_the_sheet_everybody_starts_with(seat, campaign):
    """It has two Hope, six traits at zero, and full hit points."""
    character = seat.do("character_create", campaign_id=campaign, name="x", kind="PC")["id"]
    sheet = seat.do("character_sheet_get", character_id=character)
    traits = ("agility", "strength", "finesse", "instinct", "presence", "knowledge")
    assert sheet["profile"]["traits"] == dict.fromkeys(traits, 0)
    holds(sheet["state"], {"character_id": character, "hope": 2, "stress": 0, "hp": sheet["profile"]["hp_max"]})


# Errors

NOWHERE = "a" * 26
UNKNOWN = [
    ("set_context", {"campaign_id": f"camp_{NOWHERE}"}),
    ("set_context", {"campaign_id": "$campaign", "session_id": f"sess_{NOWHERE}"}),
    ("set_context", {"campaign_id": "$campaign", "participant_id": f"part_{NOWHERE}"}),
    ("participant_create", {"campaign_id": f"camp_{NOWHERE}", "display_name": "x", "role": "GM"}),
    ("character_create", {"campaign_id": f"camp_{NOWHERE}", "name": "x", "kind": "PC"}),
    ("character_control_set",
     {"campaign_id": "$campaign", "character_id": f"character_{NOWHERE}", "controller": "GM"}),
    ("character_control_set",
     {"campaign_id": "$campaign", "character_id": "$thorin", "controller": f"part_{NOWHERE}"}),
    ("character_sheet_get", {"character_id": f"character_{NOWHERE}"}),
    ("character_profile_patch", {"character_id": f"character_{NOWHERE}", "evasion": 9}),
    ("character_state_patch", {"character_id": f"character_{NOWHERE}", "hp": 1}),
    ("session_start", {"campaign_id": f"camp_{NOWHERE}"}),
    ("session_end", {"session_id": f"sess_{NOWHERE}"}),
    ("session_action_roll",
     {"session_id": f"sess_{NOWHERE}", "character_id": "$thorin", "trait": "x", "difficulty": 1}),
    ("session_action_roll",
     {"session_id": "$evening", "character_id": f"character_{NOWHERE}", "trait": "x", "difficulty": 1}),
    ("session_roll_outcome_apply", {"session_id": f"sess_{NOWHERE}", "roll_seq": 1}),
    ("session_roll_outcome_apply", {"session_id": "$evening", "roll_seq": 1_000_000}),
]
WRONG = [
    ("set_context", {"campaign_id": ""}, "campaign_id"),
    ("set_context", {"campaign_id": "$campaign", "session_id": " "}, "session_id"),
    ("set_context", {"campaign_id": "$campaign", "participant_id": ""}, "participant_id"),
    ("set_context", {"campaign_id": "$other", "session_id": "$evening"}, "session_id"),
    ("set_context", {"campaign_id": "$other", "participant_id": "$alice"}, "participant_id"),
    ("campaign_create", {"name": " ", "gm_mode": "HUMAN"}, "name"),
    ("campaign_create", {"gm_mode": "HUMAN"}, "name"),
    ("campaign_create", {"name": "x", "gm_mode": "ROBOT"}, "gm_mode"),
    ("campaign_create", {"name": "x"}, "gm_mode"),
    ("participant_create", {"campaign_id": "$campaign", "display_name": "", "role": "GM"}, "display_name"),
    ("participant_create", {"campaign_id": "$campaign", "display_name": "x", "role": "DM"}, "role"),
    ("participant_create",
     {"campaign_id": "$campaign", "display_name": "x", "role": "GM", "controller": "robot"}, "controller"),
    ("character_create", {"campaign_id": "$campaign", "name": "x", "kind": "MONSTER"}, "kind"),
    ("character_create", {"campaign_id": "$campaign", "name": "\n", "kind": "PC"}, "name"),
    ("character_control_set",
     {"campaign_id": "$campaign", "character_id": "$thorin", "controller": ""}, "controller"),
    ("character_control_set",
     {"campaign_id": "$other", "character_id": "$thorin", "controller": "GM"}, "character_id"),
    ("character_sheet_get", {"character_id": "nobody"}, "character_id"),
    ("character_profile_patch", {"character_id": "$thorin", "hp_max": 0}, "hp_max"),
    ("character_profile_patch", {"character_id": "$thorin", "stress_max": -1}, "stress_max"),
    ("character_profile_patch", {"character_id": "$thorin", "evasion": -1}, "evasion"),
    ("character_profile_patch", {"character_id": "$thorin", "severe_threshold": 7}, "severe_threshold"),
    ("character_profile_patch", {"character_id": "$thorin", "traits": {"bravery": 5}}, "traits.bravery"),
    ("character_profile_patch", {"character_id": "$thorin", "traits": {" ": 1}}, "traits"),
    ("character_state_patch", {"character_id": "$thorin", "hope": 7}, "hope"),
    ("character_state_patch", {"character_id": "$thorin", "hope": -1}, "hope"),
    ("character_state_patch", {"character_id": "$thorin", "stress": 7}, "stress"),
    ("character_state_patch", {"character_id": "$thorin", "hp": 13}, "hp"),
    ("character_state_patch", {"character_id": "$thorin", "hp": 1.5}, "hp"),
    ("character_state_patch", {"character_id": "$thorin", "armour": 1}, "armour"),
    ("session_end", {"campaign_id": "$other", "session_id": "$evening"}, "campaign_id"),
    ("session_action_roll",
     {"session_id": "$evening", "character_id": "$thorin", "trait": " ", "difficulty": 1}, "trait"),
    ("session_action_roll",
     {"session_id": "$evening", "character_id": "$thorin", "trait": "x", "difficulty": -1}, "difficulty"),
    ("session_action_roll",
     {"session_id": "$evening", "character_id": "$thorin", "trait": "x"}, "difficulty"),
    ("session_action_roll",
     {"session_id": "$evening", "character_id": "$thorin", "trait": "x", "difficulty": 1,
      "modifiers": [{"source": "", "value": 1}]}, "modifiers[0].source"),
    ("session_action_roll",
     {"session_id": "$evening", "character_id": "$stranger", "trait": "x", "difficulty": 1}, "character_id"),
    ("session_action_roll",
     {"campaign_id": "$other", "session_id": "$evening", "character_id": "$thorin", "trait": "x",
      "difficulty": 1}, "campaign_id"),
    ("session_roll_outcome_apply", {"session_id": "$evening", "roll_seq": 0}, "roll_seq"),
    ("session_roll_outcome_apply", {"session_id": "$evening", "roll_seq": "$roll", "targets": ["$stranger"]},
     "targets"),
]


def case_name(part) -> str:
    return part if isinstance(part, str) else ",".join(part)


def filled(arguments, known: dict):
    """Returns arguments with placeholders replaced by ids."""
    if isinstance(arguments, str) and arguments.startswith("$"):
        return known[arguments[1:]]
    if isinstance(arguments, list):
        return [filled(value, known) for value in arguments]
    if isinstance(arguments, dict):
        return {key: filled(value, known) for key, value in arguments.items()}
    return arguments


@pytest.fixture(scope="module")
def known(web) -> dict:
    """Things that the invalid calls can refer to; those calls change none of them."""
    seat = Seat(Session(web).open())
    campaign = seat.do("campaign_create", name="x", gm_mode="AI")["id"]
    other = seat.do("campaign_create", name="y", gm_mode="AI")["id"]
    made = {
        "campaign": campaign,
        "other": other,
        "alice": seat.do("participant_create", campaign_id=campaign, display_name="A", role="PLAYER")["id"],
        "thorin": seat.do("character_create", campaign_id=campaign, name="T", kind="PC")["id"],
        "stranger": seat.do("character_create", campaign_id=other, name="S", kind="PC")["id"],
        "evening": seat.do("session_start", campaign_id=campaign)["id"],
    }
    seat.do("character_profile_patch", character_id=made["thorin"], hp_max=12, severe_threshold=10)
    return {**made, "roll": seat.roll(made["evening"], made["thorin"])["roll_seq"]}


@pytest.mark.parametrize(("tool", "arguments"), UNKNOWN, ids=case_name)
def test_what_does_not_exist_is_not_found(on_http, known, tool, arguments):
    """The error is NOT_FOUND."""
    error = on_http.refused(tool, **filled(arguments, known))
    assert error["code"] == "NOT_FOUND"


@pytest.mark.parametrize(("tool", "arguments", "field"), WRONG, ids=case_name)
def test_what_is_wrong_is_an_invalid_argument(on_http, known, tool, arguments, field):
    """The error is INVALID_ARGUMENT and names the field that is wrong."""
    error = on_http.refused(tool, **filled(arguments, known))
    assert (error["code"], error["field"]) == ("INVALID_ARGUMENT", field)


def test_a_campaign_is_required_somewhere(seat):
    """Without an argument and without a context, the error says which to give."""
    error = seat.refused("session_start", name="x")
    assert error["field"] == "campaign_id" and "set_context" in error["hint"]


@pytest.mark.parametrize("uri", [f"campaign://camp_{NOWHERE}", f"session://sess_{NOWHERE}/events",
                                 *(f"campaign://camp_{NOWHERE}/{part}"
                                   for part in ("participants", "characters", "sessions"))])
def test_resources_of_unknown_things_are_not_found(on_http, uri):
    """NOT_FOUND as a JSON-RPC error that names the URI."""
    error = on_http.unreadable(uri)
    assert (error["code"], error["data"]["code"], error["data"]["uri"]) == (-32002, "NOT_FOUND", uri)


@pytest.mark.parametrize("tail", ["/", "/nothing", "?x=1", "#x", "/participants/1", "/participants?x=1"])
def test_a_campaign_has_no_other_paths(seat, campaign, tail):
    """Additional segments, queries and fragments are not found."""
    assert seat.unreadable(f"campaign://{campaign}{tail}")["code"] == -32002


@pytest.mark.parametrize("id", ["%20", "nope", "camp_nope", "sess_" + NOWHERE, "character_x"])
def test_a_malformed_campaign_id_is_an_invalid_argument(on_http, id):
    """The id is blank, malformed, or that of something else."""
    error = on_http.unreadable(f"campaign://{id}")
    assert (error["code"], error["data"]["code"]) == (-32602, "INVALID_ARGUMENT")


@pytest.mark.parametrize("query", ["limit=x", "limit=0", "before_seq=-1", "after_seq=1.5"])
def test_a_malformed_page_is_an_invalid_argument(on_http, known, query):
    """The paging parameters are whole numbers."""
    error = on_http.unreadable(f"session://{known['evening']}/events?{query}")
    assert (error["code"], error["data"]["field"]) == (-32602, query.split("=")[0])


def test_a_second_active_session_is_refused(seat, campaign, evening):
    """At most one session is ACTIVE; the error names it and says what to do."""
    error = seat.refused("session_start", campaign_id=campaign)
    assert error["code"] == "FAILED_PRECONDITION"
    assert evening in error["message"] and "session_end" in error["hint"]
