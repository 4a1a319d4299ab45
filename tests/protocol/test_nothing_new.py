"""Writing what is already so changes nothing, through any door: no date moves and nobody is
notified."""

import contextlib
import time

import pytest

from harness.program import Program
from harness.table import Listener, Seat
from harness.web import Modern, Session

ANVIL = "/compat/worldanvil/api/external/boromir"


class Doors:
    """A world with something made through each door, to be written again unchanged."""

    def __init__(self, program: Program):
        self._open = contextlib.ExitStack()
        vault = program.home / "vault"
        vault.mkdir()
        token = program.token("owner", "Olga")
        self.server = program.serve("--toolsets", "all,atlas-write", env={"VAULT_PATH": str(vault)})
        self.http = self._open.enter_context(self.server.client(authorization=f"Bearer {token}"))
        self.seat = Seat(Session(self.http).open())
        [campaign] = self.http.get("/compat/kanka/1.0/campaigns").json()["data"]
        self.kanka = f"/compat/kanka/1.0/campaigns/{campaign['id']}"
        self.furnish()

    def furnish(self) -> None:
        do = self.seat.do
        pages = [{"entity_type": "location", "name": "Port Said Again", "type": "City", "tags": ["wet", "old"],
                  "entry": "A port."},
                 {"entity_type": "character", "name": "Known to Port", "entry": "Somebody."}]
        port, other = do("create_entities", entities=pages)["results"]
        self.page, self.kind_number = port["entity_id"], port["id"]
        self.entry = f"A port, of [entity:{other['entity_id']}]."
        do("update_entities", updates=[{"entity_id": self.page, "entry": self.entry}])
        (post,) = do("create_posts", posts=[{"entity_id": self.page, "name": "Tides", "entry": "High."}])["results"]
        self.post = {"entity_id": self.page, "post_id": post["post_id"]}
        self.article = do("create_article", title="Again", content="Said.", template="item", state="public",
                          tags=["a", "b"])["data"]["id"]
        self.category = do("create_category", title="Sayings")["data"]["id"]
        self.idea = do("kn_idea", action="create", title="Say it again", category="feature")["id"]
        self.project = do("kn_project", action="create", name="Saying", goals=["Say it"])["id"]
        self.campaign = do("campaign_create", name="Said table", gm_mode="HUMAN", theme_prompt="Talk")["id"]
        self.person = do("participant_create", campaign_id=self.campaign, display_name="Gail", role="GM")["id"]
        self.hero = do("character_create", campaign_id=self.campaign, name="Sayer", kind="PC", notes="Says.")["id"]
        do("character_control_set", campaign_id=self.campaign, character_id=self.hero, controller=self.person)
        self.note = {"path": "Notes/Said.md", "content": "# Said\n\nOf Port Said Again.\n"}
        assert not self.seat.result("vault_write_note", self.note).get("isError")
        relation = self.http.post(f"{self.kanka}/entities/{self.page}/relations", json={
            "relation": "knows", "target_id": other["entity_id"], "owner_id": self.page, "visibility_id": 1})
        assert relation.status_code < 300, relation.text
        self.relation = relation.json()["data"]
        self.relation = next(iter(self.relation)) if isinstance(self.relation, list) else self.relation

    def close(self) -> None:
        self._open.close()
        self.server.kill()

    def ok(self, method: str, path: str, fields: dict) -> None:
        answer = self.http.request(method, path, json=fields)
        assert answer.status_code < 300, answer.text


AGAIN = {
    "update_entities": lambda d: d.seat.do("update_entities", updates=[{
        "entity_id": d.page, "name": "Port Said Again", "type": "City", "tags": ["Old", "wet"], "entry": d.entry,
        "is_private": False}]),
    "update_posts": lambda d: d.seat.do("update_posts", updates=[{**d.post, "name": "Tides", "entry": "High.",
                                                                  "is_private": False}]),
    "Kanka's entities": lambda d: d.ok("PUT", f"{d.kanka}/locations/{d.kind_number}", {
        "name": "Port Said Again", "type": "City"}),
    "Kanka's posts": lambda d: d.ok("PUT", f"{d.kanka}/entities/{d.page}/posts/{d.post['post_id']}", {
        "name": "Tides", "entity_id": d.page}),
    "Kanka's relations": lambda d: d.ok("PUT", f"{d.kanka}/entities/{d.page}/relations/{d.relation['id']}", {
        "relation": "knows"}),
    "update_article": lambda d: d.seat.do("update_article", article_id=d.article, title="Again", content="Said."),
    "update_category": lambda d: d.seat.do("update_category", category_id=d.category, title="Sayings"),
    "kn_idea": lambda d: d.seat.do("kn_idea", action="update", idea_id=d.idea, title="Say it again"),
    "kn_project": lambda d: d.seat.do("kn_project", action="update", project_id=d.project, name="Saying",
                                      goals=["Say it"]),
    "character_control_set": lambda d: d.seat.do("character_control_set", campaign_id=d.campaign,
                                                       character_id=d.hero, controller=d.person),
    "campaign_update": lambda d: d.seat.do("campaign_update", campaign_id=d.campaign, name="Said table",
                                           theme_prompt="Talk"),
    "participant_update": lambda d: d.seat.do("participant_update", participant_id=d.person, display_name="Gail"),
    "character_update": lambda d: d.seat.do("character_update", character_id=d.hero, name="Sayer", notes="Says."),
    "vault_write_note": lambda d: d.seat.result("vault_write_note", d.note),
}
"""Writes that change nothing."""


@pytest.fixture(scope="module")
def doors(binary, tmp_path_factory):
    doors = Doors(Program(binary, tmp_path_factory.mktemp("again")))
    # By then, the program has read the note in its folder.
    time.sleep(2)
    yield doors
    doors.close()


def dates(doors) -> dict:
    """Returns when everything was last changed, according to each door."""
    found = doors.seat.do("find_entities", limit=0)["entities"] + doors.seat.do("find_entities", query="said say")[
        "entities"] + doors.seat.do("find_entities", query="Sayer Sayings Saying Again")["entities"]
    kanka = doors.http.get(f"{doors.kanka}/entities").json()["data"]
    article = doors.http.get(f"{ANVIL}/article?id={doors.article}&granularity=1").json()
    return {
        "pages": {row["name"]: row["updated_at"] for row in found},
        "kanka": {row["name"]: row["updated_at"] for row in kanka},
        "article": article.get("updateDate"),
        "projects": doors.seat.do("kn_project", action="list"),
        "play": doors.seat.read(f"campaign://{doors.campaign}"),
        "people": doors.seat.read(f"campaign://{doors.campaign}/participants"),
        "heroes": doors.seat.read(f"campaign://{doors.campaign}/characters"),
    }


@pytest.mark.parametrize("way", AGAIN)
def test_saying_it_again_moves_no_date_and_tells_nobody(doors, way):
    before = dates(doors)
    assert len(before["pages"]) > 8, before["pages"]
    uris = [f"campaign://{doors.campaign}", f"character://{doors.hero}/sheet", "campaigns://list",
            f"campaign://{doors.campaign}/participants", f"campaign://{doors.campaign}/characters"]
    with Modern(doors.http).listen({"resourceSubscriptions": uris}) as stream:
        stream.next_named("notifications/subscriptions/acknowledged")
        listener = Listener(stream)
        time.sleep(1.1)
        AGAIN[way](doors)
        assert dates(doors) == before
        # Notifications come in order, so whatever was due is heard before that of a real change.
        doors.seat.do("campaign_create", name="A change", gm_mode="AI")
        listener.wait_for("campaigns://list")
        assert listener.uris() == ["campaigns://list"]
