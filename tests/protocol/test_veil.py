"""A mention of what is hidden, inside what is open: nobody reads its number, and nobody breaks it by
writing what they read."""

import contextlib
import json

import pytest

from harness.canaries import rows
from harness.program import Program
from harness.table import Seat
from harness.web import Session

ANVIL = "/compat/worldanvil/api/external/boromir"


class Table:
    """A player with a page of their own, on which the game master mentions somebody hidden."""

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
        # Numbers that stand for nothing else.
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
        """Whether the game master sees that the page mentions whom it mentions."""
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
    """Or whoever writes mentions could find out which numbers are taken."""
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
