"""A name that only the game master's side knows is like a free name to players: what they create by
it is created, shown and found as it would be otherwise, at every door."""

import contextlib
import json
import re

import pytest

from harness.program import Program
from harness.table import Seat
from harness.web import Session

NAME, TAG, LABEL = "Velvetine", "Turncoat", "Oathless"
DECOYS = {NAME: "Marzipane", TAG: "Hammock", LABEL: "Gardener"}
"""The names of hidden things in the world where nobody has the tested names. There are as many, so
that the numbers are the same."""
UID = re.compile(r"[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}", re.I)
OWN = re.compile(r"\b[a-z]+_[a-z2-7]{26}\b|127\.0\.0\.1:\d+|\b[0-9a-f]{40,64}\b")
"""Matches other ids, and the address of a server."""
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)?")
KINDS = ("characters", "creatures", "locations", "organisations", "races", "notes", "journals", "quests")


class World:
    """A world with hidden things that have the tested names, or others."""

    def __init__(self, program: Program, names: dict[str, str]):
        tokens = {role: program.token(role, role) for role in ("gm", "player", "reader")}
        self.server = program.serve("--toolsets", "all,atlas-write")
        self.open = contextlib.ExitStack()
        self.https = {role: self.open.enter_context(self.server.client(authorization=f"Bearer {token}"))
                      for role, token in tokens.items()}
        self.seats = {role: Seat(Session(http).open()) for role, http in self.https.items()}
        [campaign] = self.https["gm"].get("/compat/kanka/1.0/campaigns").json()["data"]
        self.kanka = f"/compat/kanka/1.0/campaigns/{campaign['id']}"
        self.said: list[tuple[str, str]] = []
        self.furnish()
        self.hide(names)

    def post(self, role: str, path: str, /, **fields):
        return self.https[role].post(f"{self.kanka}/{path}", json=fields)

    def made(self, role: str, path: str, /, **fields) -> dict:
        answer = self.post(role, path, **fields)
        assert answer.status_code < 300, (path, fields, answer.text)
        return answer.json()["data"]

    def furnish(self) -> None:
        gm, player = self.seats["gm"], self.seats["player"]
        self.ann = self.made("player", "characters", name="Ann")["entity_id"]
        self.bob = self.made("player", "characters", name="Bob")["entity_id"]
        self.table = gm.do("campaign_create", name="The table", gm_mode="HUMAN")["id"]
        self.article = player.do("create_article", title="Opened", content="A.", template="item",
                                 state="public")["data"]["id"]

    def hide(self, names: dict[str, str]) -> None:
        """Creates everything that can be hidden, with these names."""
        gm, name = self.seats["gm"], names[NAME]
        self.made("gm", "tags", name=names[TAG], is_private=True, entry="Nobody's business.")
        gm.do("create_entities", entities=[{"entity_type": "note", "name": "N", "tags": [names[LABEL]]}])
        gm.do("update_entities", updates=[{"entity_id": self.ann, "tags": [names[TAG]]}])
        for kind in KINDS:
            self.made("gm", kind, name=name, type=name, is_private=True)
        self.made("gm", f"entities/{self.ann}/posts", name=name, entry="x", visibility_id=2)
        self.made("gm", f"entities/{self.ann}/attributes", name=name, value="1", is_private=True)
        self.made("gm", f"entities/{self.ann}/relations", relation=f"{name} of", target_id=self.bob,
                  owner_id=self.ann, visibility_id=2)
        gm.do("character_create", campaign_id=self.table, name=name, kind="NPC")
        gm.do("create_article", title=name, content=name, template="item", tags=[names[TAG]])
        for tool in ("create_category", "create_timeline", "create_notebook_note"):
            gm.do(tool, title=name)
        gm.do("create_history", title=name, year="1207")
        gm.do("kn_graph", action="add", name=name, type="concept", description=name, visibility="private")

    def ask(self, what: str, answer) -> None:
        told = json.dumps(answer, sort_keys=True, ensure_ascii=False)
        self.said.append((plain(what), plain(told)))

    def tool(self, role: str, tool: str, /, **arguments) -> dict:
        answer = self.seats[role].client.call(tool, arguments)
        self.ask(f"{role}: {tool} {json.dumps(arguments)}", answer.get("structuredContent", answer))
        return answer.get("structuredContent", {})

    def api(self, role: str, method: str, path: str, /, **fields):
        answer = self.https[role].request(method, f"{self.kanka}/{path}", json=fields or None)
        self.ask(f"{role}: {method} {path} {json.dumps(fields)}", [answer.status_code, answer.text])
        return answer

    def play(self) -> list[tuple[str, str]]:
        """Does everything a player can do with the names, and reads it as the player and as a
        reader. Returns the requests and answers."""
        for name in (TAG, TAG.lower(), LABEL, NAME):
            self.api("player", "POST", "tags", name=name)
        for tag in (TAG, LABEL.upper(), NAME):
            self.tool("player", "create_entities",
                      entities=[{"entity_type": "character", "name": f"Tagged {tag}", "tags": [tag]}])
            self.tool("player", "create_entities",
                      entities=[{"entity_type": "character", "name": f"Own {tag}", "tags": [tag], "is_private": True}])
            self.tool("player", "update_entities", updates=[{"entity_id": self.bob, "tags": [tag]}])
            self.tool("player", "get_entities", entity_ids=[self.ann, self.bob])
            self.tool("player", "create_article", title=f"Tagged {tag}", content="x", template="item", tags=[tag],
                      state="public")
            self.tool("player", "kn_graph", action="add", name=f"Tagged {tag}", type="concept", description="x",
                      tags=[tag])
            self.tool("player", "kn_experience", action="save", type="gotcha", content=f"Tagged {tag}", tags=[tag])
            self.tool("player", "kn_intel", action="learn", type="decision", content=f"We tag {tag}", tags=[tag])
        for kind in KINDS:
            self.api("player", "POST", kind, name=NAME, type=NAME)
        self.api("player", "POST", f"entities/{self.ann}/posts", name=NAME, entry="mine")
        self.api("player", "POST", f"entities/{self.ann}/attributes", name=NAME, value="2")
        self.api("player", "POST", f"entities/{self.ann}/relations", relation=f"{NAME} of", target_id=self.bob,
                 owner_id=self.ann)
        self.tool("player", "update_entities", updates=[{"entity_id": self.ann, "tags": ["Plain"]}])
        self.tool("player", "character_create", campaign_id=self.table, name=NAME, kind="PC")
        self.tool("player", "participant_create", campaign_id=self.table, display_name=NAME)
        for title in ("create_category", "create_timeline", "create_notebook_note"):
            self.tool("player", title, title=NAME)
        self.tool("player", "create_article", title=NAME, content="x", template="item", state="public")
        self.tool("player", "create_history", title=NAME, year="1208")
        self.tool("player", "update_article", article_id=self.article, tags=[TAG])
        self.tool("player", "kn_graph", action="add", name=NAME, type="concept", description="mine")
        self.tool("player", "kn_graph", action="add", name=f"{NAME} too", type=NAME, description="x", namespace=NAME)
        self.tool("player", "kn_project", action="create", name=NAME, goals=["a"])
        self.tool("player", "kn_idea", action="create", title=NAME)
        for role in ("player", "reader"):
            self.look(role)
        return self.said

    def look(self, role: str) -> None:
        for page in (self.ann, self.bob):
            self.tool(role, "get_entities", entity_ids=[page], include_posts=True)
            for part in ("attributes", "relations", "posts", "entity_tags"):
                self.api(role, "GET", f"entities/{page}/{part}")
        for name in (TAG, LABEL, NAME):
            self.tool(role, "find_entities", tags=[name])
            self.tool(role, "find_entities", query=name)
            self.tool(role, "find_entities", name=name)
            self.tool(role, "resolve_entity", label=name)
            self.tool(role, "search_articles", query=name)
            self.tool(role, "kn_graph", action="query", text=name)
            self.tool(role, "kn_graph", action="query", tags=[name])
        for path in ("tags?related=1", "entities?related=1", "characters?related=1"):
            self.api(role, "GET", path)
        self.tool(role, "list_articles")
        self.tool(role, "list_categories")


def plain(told: str) -> str:
    """Returns a text without what differs from run to run."""
    return MOMENT.sub("<moment>", OWN.sub("<own>", UID.sub("<uid>", told)))


@pytest.fixture(scope="module")
def worlds(binary, tmp_path_factory):
    taken = World(Program(binary, tmp_path_factory.mktemp("taken")), {name: name for name in DECOYS})
    free = World(Program(binary, tmp_path_factory.mktemp("free")), DECOYS)
    yield taken, free
    for world in (taken, free):
        world.open.close()
        world.server.kill()


@pytest.fixture(scope="module")
def played(worlds):
    taken, free = worlds
    return taken.play(), free.play()


def test_a_player_cannot_tell_hidden_names_from_free_ones(played):
    taken, free = played
    assert [what for what, _ in taken] == [what for what, _ in free]
    told = [(what, has, would) for (what, has), (_, would) in zip(taken, free) if has != would]
    assert not told, "\n\n".join("\n".join(row) for row in told[:8])
    assert not [what for what, said in taken if "not found" in said.lower() and "POST" in what]


def test_what_a_player_tags_is_shown_and_found_by_it(worlds, played):
    """This holds for the player, a reader and the game master."""
    taken, _ = worlds
    for role in ("player", "reader", "gm"):
        found = taken.seats[role].do("find_entities", tags=[TAG])["entities"]
        names = {row["name"] for row in found}
        assert {"Tagged " + TAG} <= names, (role, names)
        assert ("Ann" in names) == (role == "gm"), (role, names)


def test_the_game_master_sees_both_tags_and_keeps_them_apart(worlds, played):
    """Each has a page. A name given by the game master means the hidden one. Revealing it while the
    open one exists is refused."""
    taken, _ = worlds
    http, gm = taken.https["gm"], taken.seats["gm"]
    rows = [row for row in http.get(f"{taken.kanka}/tags").json()["data"] if row["name"].lower() == TAG.lower()]
    assert sorted(row["is_private"] for row in rows) == [False, True], rows
    [hidden] = [row for row in rows if row["is_private"]]
    for row in rows:
        found = http.get(f"{taken.kanka}/characters", params={"tags[]": row["id"]}).json()["data"]
        assert {"Ann", "Tagged " + TAG} <= {page["name"] for page in found}
    refused = http.patch(f"{taken.kanka}/tags/{hidden['id']}", json={"name": TAG, "is_private": False})
    assert refused.status_code == 422, refused.text
    made = gm.do("create_entities", entities=[{"entity_type": "character", "name": "Unmasked", "tags": [TAG]}])
    number = made["results"][0]["entity_id"]
    assert gm.do("get_entities", entity_ids=[number])["results"][0]["tags"] == [TAG]
    assert taken.seats["player"].do("get_entities", entity_ids=[number])["results"][0]["tags"] == []
    # A renamed tag stays on its pages, and on no others.
    renamed = http.patch(f"{taken.kanka}/tags/{hidden['id']}", json={"name": "Spy"})
    assert renamed.status_code == 200, renamed.text
    assert gm.do("get_entities", entity_ids=[number])["results"][0]["tags"] == ["Spy"]
    names = {row["name"] for row in taken.seats["player"].do("find_entities", tags=[TAG])["entities"]}
    assert "Tagged " + TAG in names and "Unmasked" not in names
    assert not taken.seats["player"].do("find_entities", tags=["Spy"])["entities"]
    shown = http.patch(f"{taken.kanka}/tags/{hidden['id']}", json={"name": "Spy", "is_private": False})
    assert shown.status_code == 200, shown.text
    names = {row["name"] for row in taken.seats["player"].do("find_entities", tags=["Spy"])["entities"]}
    assert {"Ann", "Unmasked"} <= names
    assert taken.server.program.ok("doctor").splitlines()[-1] == "all is well"


def test_a_tag_that_comes_into_view_is_one_with_the_open_one(worlds, played):
    """The tag was hidden only because it was only on hidden pages."""
    taken, _ = worlds
    http, gm = taken.https["gm"], taken.seats["gm"]
    [note] = [row for row in gm.do("find_entities", name="N", name_exact=True)["entities"]]
    gm.do("update_entities", updates=[{"entity_id": note["entity_id"], "is_hidden": False}])
    rows = [row for row in http.get(f"{taken.kanka}/tags").json()["data"] if row["name"].lower() == LABEL.lower()]
    assert [row["is_private"] for row in rows] == [False], rows
    names = {row["name"] for row in taken.seats["player"].do("find_entities", tags=[LABEL])["entities"]}
    assert {"N", "Tagged " + LABEL.upper()} <= names, names


def test_two_tags_do_not_get_one_name(worlds, played):
    taken, _ = worlds
    for role in ("gm", "player"):
        one, two = (taken.made(role, "tags", name=f"{name} {role}")["id"] for name in ("Loyal", "Brave"))
        answer = taken.https[role].put(f"{taken.kanka}/tags/{two}", json={"name": f"loyal {role}"})
        assert answer.status_code == 422 and "name" in answer.json()["fields"], answer.text
        same = taken.https[role].put(f"{taken.kanka}/tags/{one}", json={"name": f"LOYAL {role}"})
        assert same.status_code == 200, same.text
