"""What a game master does behind the screen shows in nothing that a player reads of an open page
through any door: neither in dates or authors, nor in list positions, counts or versions."""

import contextlib
import datetime
import json
import re
import time
from urllib.parse import quote

import pytest

from harness import routes
from harness.canaries import Secret, identifiers, rows, sweep
from harness.program import Program
from harness.table import Seat
from harness.web import Session

ANVIL = "/compat/worldanvil/api/external/boromir"
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d")
LONG_AGO = "2020-01-01T00:00:00Z"
TELLS = {"session_log_verify"}
"""Verifying that nothing was cut off from a log requires knowing its length."""
NOBODYS = {"date", "x-request-id", "x-ratelimit-remaining", "x-ratelimit-reset"}
"""Headers that describe the response, not the thing it is about."""


class Table:
    """A world with open pages of several kinds and hidden things, a game master and a player."""

    def __init__(self, program: Program):
        tokens = {role: program.token(role, role) for role in ("gm", "player")}
        self.server = program.serve("--toolsets", "all,atlas-write")
        self.tools = [tool for tool in program.tools("--toolsets", "all,atlas-write")
                      if tool["annotations"]["readOnlyHint"] and not tool["annotations"]["openWorldHint"]
                      and tool["name"] not in TELLS]
        self._open = contextlib.ExitStack()
        self.gm_http, self.http = (
            self._open.enter_context(self.server.client(authorization=f"Bearer {token}"))
            for token in tokens.values())
        self.gm, self.player = (Seat(Session(http).open()) for http in (self.gm_http, self.http))
        self.world = routes.World.seen_by(self.gm_http)
        self.kanka = f"{routes.KANKA}/campaigns/{self.world.number}"

    def furnish(self) -> None:
        gm = self.gm
        self.page, self.other = (self.made("locations", name=name, entry="Known to all.")
                                 for name in ("Openholm", "Otherholm"))
        self.journal = self.made("journals", name="Opendays", entry="Days.")
        self.hidden = self.made("locations", name="Underholm", is_private=True)
        self.entity = self.page["entity_id"]
        self.tag = self.made("tags", name="doomed", is_private=True)["id"]
        article = gm.do("create_article", title="Openman", content="A man.", template="person", state="public")
        self.article = article["data"]["id"]
        self.campaign = gm.do("campaign_create", name="An open table", gm_mode="HUMAN")["id"]
        seat = gm.do("participant_create", campaign_id=self.campaign, display_name="Gail", role="GM")
        self.session = gm.do("session_start", campaign_id=self.campaign)["id"]
        gm.do("set_context", campaign_id=self.campaign, session_id=self.session, participant_id=seat["id"])
        self.npc, self.unknown = (
            gm.do("character_create", campaign_id=self.campaign, name=name, kind="NPC")["id"]
            for name in ("Openeye", "Nobody"))
        gm.do("character_update", character_id=self.npc, reveal="NAME")
        self.things = [self.thing(name) for name in ("Openholm", "Openman", "Openeye", "Opendays")]
        self.things[0].ids |= {self.campaign, self.session}

    def thing(self, name: str) -> Secret:
        """Returns an open page with the ids by which a player knows it at every door."""
        ids = set()
        for tool, arguments in (
            ("find_entities", {"query": name}), ("search_articles", {"query": name}),
            ("resolve_entity", {"label": name}), ("kn_graph", {"action": "query", "text": name}),
        ):
            found = self.player.do(tool, **arguments)
            ids |= identifiers([row for row in rows(found) if name in json.dumps(row)])
        return Secret(name, name, "", ids)

    def made(self, kind: str, **fields) -> dict:
        return self.wrote("POST", f"{self.kanka}/{kind}", fields)["data"]

    def wrote(self, method: str, path: str, fields: dict | None = None) -> dict:
        answer = self.gm_http.request(method, path, json=fields)
        assert answer.status_code < 300, answer.text
        return answer.json() if answer.content else {}

    def seen(self) -> dict:
        """Returns everything that a player reads about open things, by where it was asked and the
        request. What depends on the time of reading is left out."""
        # Timestamps may be in whole seconds, so wait until those of earlier changes differ from the
        # time of reading.
        time.sleep(1.1)
        now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None).isoformat(timespec="seconds")
        found = {(where, asked): plain(answer, now)
                 for where, asked, answer in sweep(self.player.client, self.tools, self.things, self.world)}
        for path in self.paths():
            answer = self.http.get(path)
            headers = {name: value for name, value in answer.headers.items() if name not in NOBODYS}
            found[path, ""] = plain(answer.text + json.dumps(headers), now)
        for since in (LONG_AGO, self.since):
            call = {"entity_ids": [self.entity], "last_synced": since}
            found["check_entity_updates", since] = plain(
                json.dumps(self.player.do("check_entity_updates", **call)), now)
            call = {"entity_type": "location", "last_synced": since}
            found["find_entities", since] = plain(json.dumps(self.player.do("find_entities", **call)), now)
        return found

    def paths(self) -> list[str]:
        page, kanka = f"{self.kanka}/entities/{self.entity}", self.kanka
        return [
            page, f"{page}?related=1", f"{page}/posts", f"{page}/attributes", f"{page}/relations",
            f"{page}/entity_tags", f"{page}/mentions", f"{kanka}/locations", f"{kanka}/tags",
            f"{kanka}/locations/{self.page['id']}", f"{kanka}/entities/recent",
            *(f"{kanka}/{kind}?{asked}" for kind in ("entities", "locations") for asked in (
                f"lastSync={self.since}", f"lastSync={LONG_AGO}", "order_by=updated_at", "updated_by=1",
                *(f"updated_by={number}" for number in (2, 3)))),
            *(f"{ANVIL}/article?id={self.article}&granularity={fullness}" for fullness in (-1, 0, 1, 2, 3)),
        ]

    def look(self) -> None:
        """Reads everything twice to find the answers that change by being read. Of those, only the
        dates are compared later."""
        self.since = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        first, self.known = self.seen(), self.seen()
        self.restless = {asked for asked in first if first[asked] != self.known.get(asked)}

    def news(self) -> dict:
        """Returns the answers that differ from those of the last call."""
        before, self.known = self.known, self.seen()
        found = {}
        for asked in before.keys() | self.known.keys():
            was, has = before.get(asked, ""), self.known.get(asked, "")
            if asked in self.restless:
                was, has = (sorted(set(MOMENT.findall(text))) for text in (was, has))
            if was != has:
                found[asked] = (was, has)
        return found

    def close(self) -> None:
        self._open.close()
        self.server.kill()


def plain(answer: str, now: str) -> str:
    """Returns an answer without timestamps of the moment of reading and without event ids."""
    answer = re.sub(r"^id: .*$", "", answer, flags=re.M)
    # The program checks watched pages at its own pace.
    answer = re.sub(r'"scan_count":\d+', "", answer)
    return re.sub(MOMENT.pattern + r"(\.\d+)?",
                  lambda found: "now" if found[0].replace(" ", "T")[:19] >= now else found[0], answer)


@pytest.fixture(scope="module")
def table(binary, tmp_path_factory):
    table = Table(Program(binary, tmp_path_factory.mktemp("screen")))
    with contextlib.closing(table):
        table.furnish()
        yield table


def kanka(method: str, path: str, **fields):
    """Returns an action that calls Kanka's API about the open page."""
    return lambda table: table.wrote(method, f"{table.kanka}/entities/{table.entity}/{path.format(table)}", {
        name: value(table) if callable(value) else value for name, value in fields.items()} or None)


def last(path: str, method: str, **fields):
    """Returns an action on the last item at a path of the open page."""
    def act(table):
        [*_, row] = table.gm_http.get(f"{table.kanka}/entities/{table.entity}/{path}").json()["data"]
        return table.wrote(method, f"{table.kanka}/entities/{table.entity}/{path}/{row['id']}", fields or None)
    return act


def anvil(**fields):
    return lambda table: table.wrote("PATCH", f"{ANVIL}/article?id={table.article}", fields)


def tool(name: str, **arguments):
    return lambda table: table.gm.do(name, **{
        key: value(table) if callable(value) else value for key, value in arguments.items()})


def at_npc(table):
    return table.npc


HIDDEN = {
    "a private post": kanka("POST", "posts", name="Plan", entry="Doom.", visibility_id=2),
    "a private post, changed": last("posts", "PATCH", entry="More doom."),
    "a private post, gone": last("posts", "DELETE"),
    "a private post that mentions an open page": kanka(
        "POST", "posts", name="Plan", visibility_id=2, entry=lambda table: f"To [entity:{table.other['entity_id']}]"),
    "a private post by a tool": tool("create_posts", posts=lambda table: [
        {"entity_id": table.entity, "name": "Plot", "entry": "Doom.", "is_hidden": True}]),
    "a private attribute": kanka("POST", "attributes", name="Doom", value="1", is_private=True),
    "a private attribute, changed": last("attributes", "PATCH", value="2"),
    "a private attribute, gone": last("attributes", "DELETE"),
    "a hidden relation": kanka("POST", "relations", relation="Foe of", visibility_id=2,
                               target_id=lambda table: table.other["entity_id"]),
    "a hidden relation, changed": last("relations", "PATCH", attitude=-9),
    "a relation to a hidden page": kanka("POST", "relations", relation="Above",
                                         target_id=lambda table: table.hidden["entity_id"]),
    "a hidden tag": kanka("POST", "entity_tags", tag_id=lambda table: table.tag),
    "a hidden tag, renamed": lambda table: table.wrote("PATCH", f"{table.kanka}/tags/{table.tag}", {"name": "damned"}),
    "a hidden tag, gone": lambda table: table.wrote("DELETE", f"{table.kanka}/tags/{table.tag}"),
    "the page becomes a part of a hidden one": lambda table: table.wrote(
        "PATCH", f"{table.kanka}/locations/{table.page['id']}", {"parent_id": table.hidden["entity_id"]}),
    "a hidden author": lambda table: table.wrote(
        "PATCH", f"{table.kanka}/journals/{table.journal['id']}", {"author_id": table.hidden["entity_id"]}),
    "a hidden page that mentions it": lambda table: table.made(
        "notes", name="Notes", is_private=True, entry=f"About [entity:{table.entity}]"),
    "the author's notes": anvil(authornotes="He is the traitor."),
    "the author's notes, with all that is known": anvil(authornotes="Or is he?", content="A man.", title="Openman"),
    "the author's scrapbook": anvil(scrapbook="Draft."),
    "a secret": tool("create_secret", title="Of Openman", content="Doom.", article_id=lambda table: table.article),
    "notes about who is known by name": tool("character_update", character_id=at_npc, notes="A spy."),
    "a hidden sheet": tool("character_state_patch", character_id=at_npc, stress=1),
    "notes about who is not known": tool("character_update", character_id=lambda table: table.unknown, notes="Doom."),
    "the sheet of who is not known": tool("character_state_patch", character_id=lambda table: table.unknown, stress=1),
    "a note of the game master": tool("session_note_add", session_id=lambda table: table.session,
                                      text="Doom.", gm_only=True),
}
"""Actions behind the screen."""

OPEN = {
    "a post": kanka("POST", "posts", name="News", entry="All is well."),
    "an attribute": kanka("POST", "attributes", name="People", value="12"),
    "a relation": kanka("POST", "relations", relation="Near", target_id=lambda table: table.other["entity_id"]),
    "a tag": lambda table: table.gm.do("update_entities", updates=[
        {"entity_id": table.entity, "tags": ["town"]}]),
    "what the page says": lambda table: table.gm.do("update_entities", updates=[
        {"entity_id": table.entity, "entry": "Known to all and sundry."}]),
    "a private post is shown": last("posts", "PATCH", visibility_id=1),
}
"""Actions that everybody sees."""


def test_what_is_done_behind_the_screen_shows_in_nothing_a_player_reads(table):
    table.look()
    leaks = {}
    for what, act in HIDDEN.items():
        act(table)
        if found := table.news():
            leaks[what] = found
    assert not leaks


@pytest.mark.parametrize("what", OPEN)
def test_what_everybody_sees_moves_the_date_at_every_door(table, what):
    if what == "a private post is shown":
        HIDDEN["a private post"](table)
    before = dates(table)
    time.sleep(1.1)
    OPEN[what](table)
    after = dates(table)
    assert [door for door in before if not before[door] < after[door]] == []


def dates(table) -> dict:
    """Returns when the page was last changed, according to each door that says so."""
    player, http = table.player, table.http
    (page,) = player.do("get_entities", entity_ids=[table.entity])["results"]
    known = player.do("resolve_entity", label="Openholm")["candidates"][0]["uri"]
    article = next(row for row in rows(player.do("search_articles", query="Openholm")) if row["title"] == "Openholm")
    kept = http.get("/compat/koi/entity/" + quote(known, safe="")).json()["entity"]
    return {
        "pages": page["updated_at"],
        "Kanka": http.get(f"{table.kanka}/entities/{table.entity}").json()["data"]["updated_at"],
        "World Anvil": http.get(f"{ANVIL}/article?id={article['id']}&granularity=0").json()["updateDate"]["date"],
        "KOI": kept["updated_at"],
    }
