"""The fourteen kinds of things that the doors can create, and the ways to edit, rename, delete and
restore each. Every thing has two made-up words, one as its name and one in its text, and mentions a
character that all of them share."""

import contextlib
import hashlib
import subprocess

from harness.pages import page_server
from harness.program import Program
from harness.table import Seat

KNOWN = "Ottoline Marsh"
"""The character that every thing mentions."""


def invented(seed: str) -> str:
    """Returns a made-up word, derived from `seed`, that occurs nowhere else and resembles no
    other."""
    digest = hashlib.sha256(seed.encode()).digest()
    return "".join("bdfglmnprstvz"[byte % 13] + "aeiou"[byte % 5] for byte in digest[:5]) + "x"


class House:
    """A world with what is needed to create every kind of thing (vault, repository, web server,
    campaign), and a second world beside it."""

    def __init__(self, program: Program):
        self.program = program
        self._open = contextlib.ExitStack()
        web = self._open.enter_context(page_server())
        self.web, program.settings = web, {"LOREWELL_WEB_REACHABLE": web.address}
        self.vault, self.repository = program.home / "vault", program.home / "repository"
        self.vault.mkdir()
        self.repository.mkdir()
        self.git("init", "-q")
        program.ok("world", "create", "Elsewhere")
        # The vault belongs to the world that the program is started for.
        self.here = self.seat(env={"VAULT_PATH": str(self.vault)})
        self.there = self.seat("--world", "Elsewhere")
        person = {"entity_type": "character", "name": KNOWN}
        (made,) = self.here.do("create_entities", entities=[person])["results"]
        self.mention = f"[entity:{made['entity_id']}|{KNOWN}]"
        self.campaign = self.here.do("campaign_create", name="Open table", gm_mode="HUMAN")["id"]
        self.here.do("participant_create", campaign_id=self.campaign, display_name="Gail", role="GM")
        self.session = ""

    def seat(self, *options: str, env=None) -> Seat:
        pipes = self._open.enter_context(
            self.program.stdio("--toolsets", "all,atlas-write", *options, env=env))
        pipes.initialize()
        return Seat(pipes)

    def git(self, *arguments: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", "-C", self.repository, *who, *arguments], check=True)

    def scan(self) -> None:
        """Commits the current state of the repository and scans it."""
        self.git("add", "-A")
        self.git("commit", "-qm", "x")
        self.program.ok("scan", str(self.repository))

    def register(self, **entity) -> dict:
        """Registers an entity through the KOI API."""
        server = self.program.serve()
        try:
            with server.client() as http:
                answer = http.post("/compat/koi/register-entity", json=entity)
                assert answer.status_code == 200, answer.text
                return answer.json()
        finally:
            server.kill()

    def close(self) -> None:
        self._open.close()


class Never(str):
    """The reason why something cannot be done to a kind of thing."""


class Thing:
    """Something with a made-up name, and a text that contains a made-up word and mentions the
    shared character."""

    what: str
    is_watched = False
    """Whether the thing has a file that the program watches, so changes show only after a while."""
    edit = rename = delete = restore = Never("")

    def __init__(self, house: House):
        self.house, self.do = house, house.here.do
        self.name, self.body = invented(f"{self.what} name").capitalize(), invented(f"{self.what} body")
        self.shown_by = self.name
        """Another word whose presence in an answer shows the thing."""
        self.make()

    def make(self) -> None:
        raise NotImplementedError

    def text(self) -> str:
        return f"It tells of {self.body} and of {self.house.mention}."

    def is_in(self, answer: str) -> bool:
        words = (self.name, self.body, self.shown_by)
        return any(word.lower() in answer.lower() for word in words)


class Binned(Thing):
    """A thing that the memory graph's tool removes and restores."""

    node: str

    def delete(self) -> None:
        self.do("kn_graph", action="remove", node_id=self.node)

    def restore(self) -> None:
        self.do("kn_graph", action="restore", node_id=self.node)


class Page(Thing):
    what = "page"

    def make(self) -> None:
        new = {"entity_type": "organization", "name": self.name, "entry": self.text()}
        (made,) = self.do("create_entities", entities=[new])["results"]
        self.number = made["entity_id"]

    def change(self, **fields) -> None:
        (row,) = self.do("update_entities", updates=[{"entity_id": self.number, **fields}])["results"]
        assert row["success"], row

    def edit(self) -> None:
        self.change(entry=self.text())

    def rename(self) -> None:
        self.change(name=self.name)

    def delete(self) -> None:
        self.do("delete_entities", entity_ids=[self.number])

    def restore(self) -> None:
        self.do("kn_graph", action="restore", node_id=self.name)


class Post(Thing):
    what = "post"
    restore = Never("no tool takes a single post out of the bin")

    def make(self) -> None:
        self.shown_by = invented("the page of the post").capitalize()
        new = {"entity_type": "location", "name": self.shown_by}
        (page,) = self.do("create_entities", entities=[new])["results"]
        self.page = {"entity_id": page["entity_id"]}
        new = {**self.page, "name": self.name, "entry": self.text()}
        (made,) = self.do("create_posts", posts=[new])["results"]
        self.post = {**self.page, "post_id": made["post_id"]}

    def edit(self) -> None:
        self.do("update_posts", updates=[{**self.post, "name": self.name, "entry": self.text()}])

    rename = edit

    def delete(self) -> None:
        self.do("delete_posts", deletions=[self.post])


class Played(Thing):
    """A thing of the play tools, which is archived instead of deleted."""

    kind: str
    """The prefix of its tools and of their id parameter."""
    says: str
    """The field that holds its text."""

    def first(self) -> dict:
        """Returns the other fields that creating it needs."""
        raise NotImplementedError

    def make(self) -> None:
        fields = {"name": self.name, self.says: self.text(), **self.first()}
        self.id = self.do(f"{self.kind}_create", **fields)["id"]

    def change(self, **fields) -> None:
        self.do(f"{self.kind}_update", **{f"{self.kind}_id": self.id}, **fields)

    def edit(self) -> None:
        self.change(**{self.says: self.text()})

    def rename(self) -> None:
        self.change(name=self.name)

    def delete(self) -> None:
        self.change(archived=True)

    def restore(self) -> None:
        self.change(archived=False)


class Character(Played):
    what, kind, says = "play character", "character", "notes"

    def first(self) -> dict:
        return {"campaign_id": self.house.campaign, "kind": "PC"}


class Campaign(Played):
    what, kind, says = "campaign", "campaign", "theme_prompt"

    def first(self) -> dict:
        return {"gm_mode": "HUMAN"}


class SessionNote(Thing):
    what = "session note"
    edit = rename = delete = restore = Never("what happened is told once and stays")

    def make(self) -> None:
        house = self.house
        started = self.do("session_start", campaign_id=house.campaign, name=self.name)
        house.session = started["id"]
        self.do("session_note_add", session_id=house.session, text=self.text())


class VaultNote(Thing):
    what = "vault note"
    is_watched = True

    def make(self) -> None:
        self.path = f"Notes/{self.name}.md"
        self.edit()

    def text(self) -> str:
        return f"# {self.name}\n\nIt tells of {self.body} and of {KNOWN}.\n"

    def edit(self) -> None:
        # The tool's answer is plain text, not structured.
        note = {"path": self.path, "content": self.text()}
        assert not self.house.here.result("vault_write_note", note).get("isError")

    def rename(self) -> None:
        before, self.path = self.path, f"Notes/{self.name}.md"
        (self.house.vault / before).write_text(self.text())
        (self.house.vault / before).rename(self.house.vault / self.path)

    def delete(self) -> None:
        (self.house.vault / self.path).unlink()

    def restore(self) -> None:
        (self.house.vault / self.path).write_text(self.text())


class IngestedPage(Thing):
    what = "ingested page"
    is_watched = True
    edit = rename = Never("a page is taken in once, as it was")

    def make(self) -> None:
        url = self.house.web.put("/page", f"""<html><head><title>{self.name}</title></head><body><article>
            <h1>{self.name}</h1><p>It tells of {self.body} and of {KNOWN}, who has kept the harbour open for
            more than a hundred winters without ever being late for a tide.</p><p>Whoever wants to know more
            about all this reads the books that are kept in the tower by the sea, where the lamps are lit at
            dusk and put out again at dawn.</p></article></body></html>""")
        for tool in ("preview_url", "process_url", "ingest_url"):
            taken = self.do(tool, url=url)
        self.note = self.house.vault / taken["vault_note_path"]
        self.noted = self.note.read_text()
        self.node = self.do("kn_graph", action="query", text=self.name, node_type="web_page")["nodes"][0]["id"]

    def delete(self) -> None:
        self.do("kn_graph", action="remove", node_id=self.node)
        self.note.unlink()

    def restore(self) -> None:
        self.do("kn_graph", action="restore", node_id=self.node)
        self.note.write_text(self.noted)


class KoiEntity(Binned):
    what = "KOI entity"
    edit = rename = Never("who registers an entity again says that it is the same, not what it is now")

    def make(self) -> None:
        self.node = self.name
        self.house.register(name=self.name, entity_type="Project", description=self.text())


class KairnNode(Binned):
    what = "Kairn node"
    edit = rename = Never("nodes of the graph are added and removed")

    def make(self) -> None:
        made = self.do("kn_graph", action="add", name=self.name, type="concept", description=self.text())
        self.node = made["id"]


class LearnedFact(Binned):
    what = "learned fact"
    edit = rename = Never("a fact is superseded by another and stays, dated")

    def make(self) -> None:
        made = self.do("kn_intel", action="learn", type="gotcha", confidence="high",
                       content=f"{self.name}. {self.text()}")
        self.node = made["node_id"]


class Idea(Binned):
    what = "idea"

    def make(self) -> None:
        made = self.do("kn_idea", action="create", title=self.title())
        self.node = made["id"]

    def title(self) -> str:
        return f"{self.name} with {self.body} and {self.house.mention}"

    def edit(self) -> None:
        self.do("kn_idea", action="update", idea_id=self.node, title=self.title())

    rename = edit


class Project(Binned):
    what = "project"

    def make(self) -> None:
        self.node = self.do("kn_project", action="create", name=self.name, goals=[self.text()])["id"]

    def edit(self) -> None:
        self.do("kn_project", action="update", project_id=self.node, name=self.name, goals=[self.text()])

    rename = edit


class Article(Thing):
    what = "article"

    def make(self) -> None:
        made = self.do("create_article", title=self.name, content=self.text(), template="item", state="public")
        self.id = made["data"]["id"]

    def edit(self) -> None:
        self.do("update_article", article_id=self.id, content=self.text())

    def rename(self) -> None:
        self.do("update_article", article_id=self.id, title=self.name)

    def delete(self) -> None:
        self.do("delete_article", article_id=self.id)

    def restore(self) -> None:
        self.do("kn_graph", action="restore", node_id=self.id)


class ScannedFile(Thing):
    what = "scanned file"

    def make(self) -> None:
        self.file = self.house.repository / f"{self.name.lower()}.py"
        self.edit()

    def edit(self) -> None:
        said = f'"""Tells of {self.body} and of {KNOWN}."""'
        self.file.write_text(f"{said}\n\n\ndef {self.body}():\n    {said}\n    return 1\n")
        self.house.scan()

    def rename(self) -> None:
        self.file = self.file.rename(self.file.with_name(f"{self.name.lower()}.py"))
        self.house.scan()

    def delete(self) -> None:
        self.file.unlink()
        self.house.scan()

    restore = edit


THINGS = [Page, Post, Character, Campaign, SessionNote, VaultNote, IngestedPage, KoiEntity, KairnNode,
          LearnedFact, Idea, Project, Article, ScannedFile]
