"""One world, five doors: what is made through one of them is found through all, only in its own
world, and the doors follow all changes to it."""

import json

import pytest

from harness.doors import KNOWN, THINGS, House, Never, invented
from harness.program import PATIENCE, Program, until

ECHOES = {"query", "label", "topic", "keywords", "problem", "proposed_uri", "suggested_uri", "hint", "message"}
"""Fields that repeat the question."""

BY_BODY = {
    "find_entities query": lambda here, word: here.do("find_entities", query=word),
    "search_articles": lambda here, word: here.do("search_articles", query=word),
    "knowledge_search": lambda here, word: here.do("knowledge_search", query=word),
    "koi_search text": lambda here, word: here.do("koi_search", query=word),
    "kn_graph query": lambda here, word: here.do("kn_graph", action="query", text=word),
    "kn_intel recall": lambda here, word: here.do("kn_intel", action="recall", topic=word),
    "kn_intel context": lambda here, word: here.do("kn_intel", action="context", keywords=word),
}
"""Ways to find a thing by its text."""

BY_NAME = {
    "find_entities name": lambda here, word: here.do("find_entities", name=word),
    "search_articles title": lambda here, word: here.do("search_articles", query=word),
    "resolve_entity": lambda here, word: here.do("resolve_entity", label=word)["candidates"],
    "koi_search": lambda here, word: here.do("koi_search", query=word),
    "kn_graph query name": lambda here, word: here.do("kn_graph", action="query", text=word),
}
"""Ways to find a thing by its name."""

BY_MENTION = {
    "get_entity_documents": lambda here: here.do("get_entity_documents", entity_uri=KNOWN),
    "get_entity_neighborhood": lambda here: here.do("get_entity_neighborhood", entity_uri=KNOWN),
    "kn_intel related": lambda here: here.do("kn_intel", action="related", node_id=KNOWN, limit=50),
}
"""Ways to find a thing by the character that it mentions."""

DOCUMENT = dict.fromkeys(
    ["resolve_entity", "get_entity_neighborhood"], "a document tells of entities and is none")
STATEMENT = {"resolve_entity": "a statement tells of entities and is none"}
NOT_FOUND = {
    "post": {
        "find_entities name": "its page has the name",
        "resolve_entity": "its page is the entity",
    },
    "vault note": DOCUMENT,
    "ingested page": DOCUMENT,
    "learned fact": STATEMENT,
    "idea": STATEMENT,
    "scanned file": DOCUMENT | {"kn_intel related": "names in code are found by search and make no links"},
}
"""For each kind of thing the ways that do not find it, with the reason. Every other way does."""


@pytest.fixture(scope="module")
def house(binary, tmp_path_factory):
    house = House(Program(binary, tmp_path_factory.mktemp("doors")))
    house.things = {make.what: make(house) for make in THINGS}
    yield house
    house.close()


@pytest.fixture(params=[make.what for make in THINGS])
def thing(house, request):
    return house.things[request.param]


def test_what_is_made_through_one_door_is_found_through_the_others(house, thing):
    assert settled(house, thing, there=True) == {}


def test_it_is_found_from_another_world_only_by_asking_across_worlds(house, thing):
    crossed = house.there.do("kn_intel", action="crossref", problem=thing.body)
    assert thing.is_in(told(crossed)), crossed
    for word, ways in ((thing.body, BY_BODY), (thing.name, BY_NAME)):
        leaks = [way for way, ask in ways.items() if thing.is_in(told(ask(house.there, word)))]
        assert not leaks


def test_a_recap_tells_what_happened_in_the_session_and_nothing_else(house, thing):
    """The session note is an event of the session. The other things are not, even if their texts
    match."""
    recap = told(house.here.do("session_recap", session_id=house.session, query=thing.body)["matches"])
    assert thing.is_in(recap) == (thing.what == "session note")


def test_the_doors_follow_what_becomes_of_it(house, thing):
    for step, word in (("edit", "body"), ("rename", "name")):
        if not isinstance(getattr(thing, step), Never):
            old = getattr(thing, word)
            setattr(thing, word, invented(f"{old} {step}").capitalize())
            if thing.what == "scanned file":
                thing.name = thing.name.lower()
            getattr(thing, step)()
            assert settled(house, thing, there=True) == {}, step
            assert until(lambda: still_told(house, old, word) == []), (step, still_told(house, old, word))
    for step in ("delete", "restore"):
        if not isinstance(getattr(thing, step), Never):
            getattr(thing, step)()
            assert settled(house, thing, there=step == "restore") == {}, step


def test_the_reason_of_an_effect_is_found_and_linked_like_a_note(house):
    """The reason is an event of the session, so search finds the session through every door."""
    body = invented("the reason of an effect")
    made = house.here.do("character_create", campaign_id=house.campaign, name="Wim Oxley", kind="PC")
    house.here.do("session_effect_apply", session_id=house.session, character_ids=[made["id"]],
                  damage={"amount": 1, "type": "PHYSICAL"}, reason=f"It tells of {body} and of {house.mention}.")
    for way, ask in BY_BODY.items():
        assert house.things["session note"].name in told(ask(house.here, body)), way
    assert body in told(house.here.do("knowledge_search", query=body))


def test_kankas_door_lists_every_page_that_mentions_a_page(house):
    """That includes pages that mention it in the notes of a played character or in a KOI entity's
    description."""
    text = f"A friend of {house.mention}."
    made = house.here.do("character_create", campaign_id=house.campaign, name="Nan Quill", kind="PC", notes=text)
    there = house.register(name="Port Quill", entity_type="Location", description=text)
    assert made and there
    wanted = {house.here.do("find_entities", name=name)["entities"][0]["entity_id"]
              for name in ("Nan Quill", "Port Quill")}
    token = house.program.token("owner", "Kanka")
    server = house.program.serve()
    try:
        with server.client(authorization=f"Bearer {token}") as http:
            base = "/compat/kanka/1.0/campaigns"
            campaign = http.get(base).json()["data"][0]["id"]
            number = house.mention.split(":")[1].split("|")[0]
            rows = http.get(f"{base}/{campaign}/entities/{number}/mentions").json()["data"]
    finally:
        server.kill()
    assert wanted <= {row["entity_id"] for row in rows}, rows


FORMS = {
    "get_entity_neighborhood": "entity_uri",
    "get_entity_documents": "entity_uri",
    "get_article": "article_id",
    "kn_intel": "node_id",
}
"""Tools that ask for something by id, with the name of their parameter."""


@pytest.mark.parametrize("tool", FORMS)
def test_ids_travel_between_the_doors(house, tool):
    """An id in the form of one door is accepted by the others; in another world it means
    nothing."""
    number = int(house.mention.split(":")[1].split("|")[0])
    found = house.here.do("kn_graph", action="query", text=KNOWN)["nodes"]
    node = next(row["id"] for row in found if row["name"] == KNOWN)
    uri = house.here.do("resolve_entity", label=KNOWN)["candidates"][0]["uri"]
    article = next(row["id"] for row in rows(house.here.do("search_articles", query=KNOWN))
                   if row.get("title") == KNOWN)
    more = {"action": "related"} if tool == "kn_intel" else {}
    answers = [house.here.do(tool, **more, **{FORMS[tool]: form})
               for form in (str(number), house.mention, node, node.replace("node_", "character_"), article, uri)]
    assert all(told(answer) == told(answers[0]) for answer in answers)
    # The atlas looks into all worlds of the caller.
    for form in (node, article, uri) if tool != "get_article" else ():
        refused = house.there.result(tool, {**more, FORMS[tool]: form})
        assert KNOWN not in str(refused), refused


def test_the_table_takes_the_ids_of_the_other_doors(house):
    """A character's sheet is found by every form of its id."""
    made = house.here.do("character_create", campaign_id=house.campaign, name="Bo Zander", kind="PC")
    (hit,) = [row for row in house.here.do("find_entities", name="Bo Zander")["entities"]]
    uri = house.here.do("resolve_entity", label="Bo Zander")["candidates"][0]["uri"]
    node = made["id"].replace("character_", "node_")
    for form in (made["id"], str(hit["entity_id"]), node, uri):
        assert house.here.do("character_sheet_get", character_id=form)["character"]["id"] == made["id"]
        assert house.here.do("get_campaign_npc", npc_id=form), form
        refused = house.there.result("character_sheet_get", {"character_id": form})
        assert refused["isError"] or "Bo Zander" not in str(refused)


def forms_of(house, name: str) -> list[str]:
    """Returns every form of id by which the doors show something."""
    (hit,) = house.here.do("find_entities", name=name, name_exact=True)["entities"]
    uri = house.here.do("resolve_entity", label=name)["candidates"][0]["uri"]
    found = house.here.do("kn_graph", action="query", text=name)["nodes"]
    node = next(row["id"] for row in found if row["name"] == name)
    article = next(row["id"] for row in rows(house.here.do("search_articles", query=name))
                   if row.get("title") == name)
    number = hit["entity_id"]
    return [str(number), f"#{number}", f"[entity:{number}|{name}]", node, uri, article]


def test_pages_take_the_ids_of_the_other_doors(house):
    """Where a page is asked for, every form of its id is accepted; in another world it means
    nothing."""
    (made,) = house.here.do("create_entities", entities=[
        {"entity_type": "location", "name": "Quay of Ives"}])["results"]
    forms = [*forms_of(house, "Quay of Ives"), made["entity_id"]]
    number, here = made["entity_id"], house.here
    long_ago = "2020-01-01T00:00:00Z"
    assert here.do("check_entity_updates", entity_ids=forms, last_synced=long_ago)[
        "modified_entity_ids"] == [number] * len(forms)
    got = here.do("get_entities", entity_ids=forms)["results"]
    assert [row["entity_id"] for row in got if row["success"]] == [number] * len(forms), got
    for form in forms:
        (row,) = here.do("update_entities", updates=[{"entity_id": form, "type": f"As {form}"}])["results"]
        assert row == {"entity_id": number, "success": True}
        (post,) = here.do("create_posts", posts=[{"entity_id": form, "name": "Tide"}])["results"]
        assert post["success"] and post["entity_id"] == number, post
        of = {"entity_id": form, "post_id": post["post_id"]}
        (row,) = here.do("update_posts", updates=[{**of, "name": "Ebb"}])["results"]
        assert row["success"], row
        (row,) = here.do("delete_posts", deletions=[of])["results"]
        assert row["success"], row
        (row,) = here.do("delete_entities", entity_ids=[form])["results"]
        assert row == {"entity_id": number, "success": True}
        here.do("kn_graph", action="restore", node_id=str(number))
    # In another world, the same number belongs to something else.
    for form in [form for form in forms[3:-1]]:
        (row,) = house.there.do("get_entities", entity_ids=[form])["results"]
        assert not row["success"] and "Quay" not in str(row), row
    (row,) = here.do("get_entities", entity_ids=["Quay of Nowhere"])["results"]
    assert "not the id of an entity" in row["error"]


def test_every_tool_of_the_table_takes_the_ids_of_the_other_doors(house):
    do = house.here.do
    campaign = do("campaign_create", name="Lamplight", gm_mode="HUMAN")["id"]
    for form in forms_of(house, "Lamplight"):
        assert do("campaign_update", campaign_id=form, theme_prompt=f"By {form}")["id"] == campaign
        assert do("set_context", campaign_id=form)["context"]["campaign_id"] == campaign
    by_number = forms_of(house, "Lamplight")[0]
    gm = do("participant_create", campaign_id=by_number, display_name="Gro Fenner", role="GM")["id"]
    for form in forms_of(house, "Gro Fenner"):
        assert do("participant_update", participant_id=form, controller="HUMAN")["id"] == gm
    session = do("session_start", campaign_id=by_number, name="Lamps are lit")["id"]
    page = do("create_entities", entities=[{"entity_type": "character", "name": "Ossian Reed"}])
    node = forms_of(house, "Ossian Reed")[3]
    assert page["results"][0]["success"]
    hero = do("character_create", campaign_id=by_number, name="Ossian Reed", kind="PC", page_id=node)["id"]
    for session_form, form in zip(forms_of(house, "Lamps are lit"), forms_of(house, "Ossian Reed"), strict=True):
        at = {"session_id": session_form}
        assert do("session_note_add", **at, character_id=form, text=f"Reed by {form}")["seq"]
        assert do("session_effect_apply", **at, character_ids=[form], stress=1)["character_states"]
        rest = {"length": "LONG", "members": [{"character_id": form, "moves": [
            {"move": "TEND_WOUNDS", "target": form}]}]}
        assert do("session_effect_apply", **at, character_ids=[form], rest=rest)["character_states"]
        rolled = do("session_action_roll", **at, campaign_id=by_number, character_id=form, trait="agility",
                    difficulty=10)
        done = do("session_roll_outcome_apply", **at, roll_seq=rolled["roll_seq"], targets=[form])
        assert hero in str(done), done
        assert do("session_recap", **at)
        assert do("session_log_verify", **at)
        assert do("character_control_set", campaign_id=by_number, character_id=form, controller=str(
            forms_of(house, "Gro Fenner")[0]))["character_id"] == hero
    assert do("campaign_fork", campaign_id=by_number, name="Lamplight again")
    assert do("session_end", session_id=forms_of(house, "Lamps are lit")[1], campaign_id=by_number)["id"] == session


def test_the_bin_is_opened_with_a_number(house):
    (made,) = house.here.do("create_entities", entities=[{"entity_type": "location", "name": "Zither"}])["results"]
    house.here.do("delete_entities", entity_ids=[made["entity_id"]])
    house.here.do("kn_graph", action="restore", node_id=str(made["entity_id"]))
    assert house.here.do("find_entities", name="Zither")["entities"]


def test_every_step_that_is_never_taken_has_its_reason():
    for make in THINGS:
        for step in ("edit", "rename", "delete", "restore"):
            assert not isinstance(getattr(make, step), Never) or len(getattr(make, step)) > 10, make.what


def settled(house, thing, there: bool) -> dict:
    """Returns what is wrong about how a thing is found, after the program had time to notice
    changed files."""
    wrong = {}

    def right() -> bool:
        wrong.clear()
        wrong.update(wrong_ways(house, thing, there))
        return not wrong

    until(right, seconds=PATIENCE if thing.is_watched else 0, pause=0.2)
    return wrong


def wrong_ways(house, thing, there: bool) -> dict:
    """Returns the ways that find a thing but should not, and those that should but do not, with the
    reason given in `NOT_FOUND`."""
    reasons = NOT_FOUND.get(thing.what, {})
    answers = {way: ask(house.here, thing.body) for way, ask in BY_BODY.items()}
    answers |= {way: ask(house.here, thing.name) for way, ask in BY_NAME.items()}
    answers |= {way: ask(house.here) for way, ask in BY_MENTION.items()}
    found = {way: thing.is_in(told(answer)) for way, answer in answers.items()}
    return {way: (is_found, reasons.get(way)) for way, is_found in found.items()
            if is_found != (there and way not in reasons)}


def still_told(house, word: str, by: str) -> list[str]:
    """Returns the ways that still find an old word."""
    ways = BY_BODY if by == "body" else BY_NAME
    return [way for way, ask in ways.items() if word.lower() in told(ask(house.here, word)).lower()]


def rows(found) -> list[dict]:
    """Returns the objects in the lists of an answer."""
    if isinstance(found, list):
        return [one for one in found if isinstance(one, dict)]
    return [row for value in found.values() if isinstance(value, dict | list) for row in rows(value)]


def told(answer) -> str:
    """Returns the text of an answer without the fields that repeat the question."""
    if isinstance(answer, dict):
        return " ".join(told(value) for key, value in answer.items() if key not in ECHOES)
    if isinstance(answer, list):
        return " ".join(told(value) for value in answer)
    return json.dumps(answer, ensure_ascii=False)
