"""Mentions of hidden things in open texts: players do not read the numbers, and do not break the
mentions by writing back what they read."""

import contextlib
import json

import pytest

from harness.canaries import rows
from harness.program import Program
from harness.table import Seat
from harness.web import Session

ANVIL = "/compat/worldanvil/api/external/boromir"


class Table:
    """A page of a player, on which the game master mentions a hidden character."""

    def __init__(self, program: Program):
        tokens = {role: program.token(role, role) for role in ("gm", "player")}
        self.server = program.serve("--toolsets", "all,atlas-write")
        self._open = contextlib.ExitStack()
        self.gm_http, self.http = (
            self._open.enter_context(self.server.client(authorization=f"Bearer {token}"))
            for token in tokens.values())
        self.gm, self.player = (Seat(Session(http).open()) for http in (self.gm_http, self.http))
        [campaign] = self.http.get("/compat/kanka/1.0/campaigns").json()["data"]
        self.kanka = f"/compat/kanka/1.0/campaigns/{campaign['id']}"
        # So that the numbers of the following pages are not used for anything else.
        for number in range(40):
            self.made(self.gm, f"Filler {number}")
        self.hidden = self.made(self.gm, "Lord Varn", is_private=True)
        self.friend = self.made(self.gm, "Bob Openly")
        self.page = self.made(self.player, "Quillbrook")
        self.entry = (f"Quillbrook pays [entity:{self.hidden}] and [entity:{self.hidden}|the ferryman], "
                      f"not [entity:{self.friend}|Bob].")
        self.seen = f"Quillbrook pays … and the ferryman, not [entity:{self.friend}|Bob]."
        post = {"entity_id": self.page, "name": "Dues", "entry": self.entry}
        (made,) = self.player.do("create_posts", posts=[{**post, "entry": "None."}])["results"]
        self.post = {"entity_id": self.page, "post_id": made["post_id"]}
        self.gm.do("update_posts", updates=[{**self.post, "entry": self.entry}])
        self.changed(self.gm, entry=self.entry)

    def made(self, seat: Seat, name: str, **more) -> int:
        new = {"entity_type": "location", "name": name, **more}
        (made,) = seat.do("create_entities", entities=[new])["results"]
        return made["entity_id"]

    def changed(self, seat: Seat, **fields) -> None:
        (row,) = seat.do("update_entities", updates=[{"entity_id": self.page, **fields}])["results"]
        assert row["success"], row

    def read(self, seat: Seat) -> dict:
        (page,) = seat.do("get_entities", entity_ids=[self.page], include_posts=True)["results"]
        return page

    def linked(self) -> bool:
        """Whether the game master sees the page's link to what it mentions."""
        found = self.gm.do("kn_intel", action="related", node_id=str(self.page), limit=50)
        return "Lord Varn" in json.dumps(found)


@pytest.fixture
def table(binary, tmp_path):
    table = Table(Program(binary, tmp_path))
    yield table
    table._open.close()
    table.server.kill()


def test_a_player_reads_words_and_no_number_at_any_door(table):
    page = table.read(table.player)
    assert (page["entry"], page["posts"][0]["entry"]) == (table.seen, table.seen)
    article = next(row["id"] for row in rows(table.player.do("search_articles", query="Quillbrook"))
                   if row.get("title") == "Quillbrook")
    asked = {
        "find_entities": {"query": "Quillbrook pays"},
        "knowledge_search": {"query": "Quillbrook pays"},
        "koi_search": {"query": "Quillbrook"},
        "search_articles": {"query": "Quillbrook pays"},
        "get_article": {"article_id": article, "granularity": "2"},
        "kn_graph": {"action": "query", "text": "Quillbrook pays"},
        "kn_intel": {"action": "recall", "topic": "Quillbrook pays"},
    }
    answers = {tool: json.dumps(table.player.result(tool, call)) for tool, call in asked.items()}
    kind = table.http.get(f"{table.kanka}/entities/{table.page}").json()["data"]["child_id"]
    for path in (f"{table.kanka}/entities/{table.page}?related=1", f"{table.kanka}/locations/{kind}",
                 f"{table.kanka}/entities/{table.page}/posts", f"{ANVIL}/article?id={article}&granularity=2"):
        answer = table.http.get(path)
        assert answer.status_code == 200, answer.text
        answers[path] = answer.text
    for where, answer in answers.items():
        assert "Quillbrook" in answer, where
        assert f"entity:{table.hidden}" not in answer and "Varn" not in answer, (where, answer)
    assert table.read(table.gm)["entry"] == table.entry


def test_what_is_not_there_reads_the_same(table):
    """Otherwise, whoever writes mentions could find out which numbers are used."""
    table.changed(table.player, entry=f"[entity:{table.hidden}|x] [entity:999999|x] [entity:{table.hidden}] [entity:999999]")
    assert table.read(table.player)["entry"] == "x x … …"


@pytest.mark.parametrize("change", [
    lambda text: text,
    lambda text: text + " And more.",
    lambda text: "First. " + text,
    lambda text: text.replace("pays", "still pays"),
    lambda text: text.replace("not ", "never "),
])
def test_who_sends_back_what_they_read_breaks_no_mention(table, change):
    assert table.linked()
    page = table.read(table.player)
    table.changed(table.player, entry=change(page["entry"]))
    table.player.do("update_posts", updates=[{**table.post, "entry": change(page["posts"][0]["entry"])}])
    now = table.read(table.gm)
    assert (now["entry"], now["posts"][0]["entry"]) == (change(table.entry), change(table.entry))
    assert table.linked()


def test_who_changes_something_else_breaks_no_link(table):
    table.changed(table.player, name="Quillbrook Mills", is_private=False)
    table.player.do("update_posts", updates=[{**table.post, "name": "Duties"}])
    assert table.linked()
    table.player.do("delete_posts", deletions=[table.post])
    assert table.linked()
    table.changed(table.player, entry="Something else.")
    assert not table.linked()


@pytest.fixture
def evening(table):
    """A session in which every text at the table mentions a hidden character."""
    gm, player, mention = table.gm, table.player, f"[entity:{table.hidden}]"
    campaign = gm.do("campaign_create", name=f"War on {mention}", gm_mode="HUMAN",
                     theme_prompt=f"Dread of {mention}.")["id"]
    lead = gm.do("participant_create", campaign_id=campaign, display_name=f"Foe of {mention}", role="GM")["id"]
    session = gm.do("session_start", campaign_id=campaign, name=f"Hunt for {mention}")["id"]
    gm.do("set_context", campaign_id=campaign, session_id=session, participant_id=lead)
    mine = player.do("participant_create", campaign_id=campaign, display_name="Pia", role="PLAYER")["id"]
    player.do("set_context", campaign_id=campaign, session_id=session, participant_id=mine)
    hero = player.do("character_create", campaign_id=campaign, name="Wren", kind="PC")["id"]
    gm.do("character_update", character_id=hero, name=f"Wren of {mention}", notes=f"Owes {mention}.")
    effects = ({"character_ids": [hero], "condition": {"name": f"Hunted by {mention}"}, "reason": f"Ire of {mention}"},
               {"countdown": {"name": f"Wrath of {mention}", "start": 8, "ticks": "STANDARD"}})
    for effect in effects:
        gm.do("session_effect_apply", session_id=session, **effect)
    gm.do("session_note_add", session_id=session, text=f"Then {mention} came.")
    return {"campaign": campaign, "session": session, "hero": hero, "mention": mention}


def told_at_the_table(seat: Seat, evening: dict) -> dict:
    """Returns everything that can be read about the session."""
    campaign, session, hero = (evening[key] for key in ("campaign", "session", "hero"))
    uris = ("campaigns://list", f"campaign://{campaign}", f"campaign://{campaign}/participants",
            f"campaign://{campaign}/characters", f"campaign://{campaign}/sessions",
            f"session://{session}/events?limit=500", f"character://{hero}/sheet")
    return {uri: json.dumps(seat.read(uri), ensure_ascii=False) for uri in uris} | {
        "recap": json.dumps(seat.do("session_recap", session_id=session), ensure_ascii=False),
        "search": json.dumps(seat.do("session_recap", session_id=session, query="wrath"), ensure_ascii=False),
        "sheet": json.dumps(seat.do("character_sheet_get", character_id=hero), ensure_ascii=False),
        "page": json.dumps(seat.do("find_entities", query="Dread of War"), ensure_ascii=False)}


def test_nothing_at_the_table_names_whom_the_players_do_not_know(table, evening):
    for where, said in told_at_the_table(table.player, evening).items():
        assert f"entity:{table.hidden}" not in said and "…" in said, (where, said)
    for where, said in told_at_the_table(table.gm, evening).items():
        assert f"entity:{table.hidden}" in said, (where, said)


def test_a_player_who_plays_breaks_no_mention(table, evening):
    player, session, hero = table.player, evening["session"], evening["hero"]
    for _ in range(3):
        roll = player.roll(session, hero)
        player.do("session_roll_outcome_apply", session_id=session, roll_seq=roll["roll_seq"])
    player.do("session_note_add", session_id=session, text=f"We met [entity:{table.friend}].")
    now = told_at_the_table(table.gm, evening)
    assert f"Wrath of {evening['mention']}" in now[f"campaign://{evening['campaign']}"]
    assert f"hunted by {evening['mention']}" in now["sheet"] and "…" not in now["sheet"]


def test_a_log_with_words_in_the_place_of_mentions_is_whole(table, evening):
    """The log is verified as it was written. Events that mention nothing hidden are shown
    unchanged."""
    for seat in (table.player, table.gm):
        checked = seat.do("session_log_verify", session_id=evening["session"])
        assert checked["ok"], checked
    seen, whole = (seat.events(evening["session"]) for seat in (table.player, table.gm))
    whole = {event["seq"]: event for event in whole}
    same = [event for event in seen if event["payload_json"] == whole[event["seq"]]["payload_json"]]
    assert 0 < len(same) < len(seen)
    assert all(event["hash"] == whole[event["seq"]]["hash"] for event in seen)
