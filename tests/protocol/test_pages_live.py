"""The pages toolset over a live campaign. Another server's Kanka API stands in for Kanka."""

import json
import sqlite3
import struct
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from harness.kanka_proxy import kanka_proxy
from harness.program import Program, call, until

KINDS = ["characters", "creatures", "locations", "organisations", "races", "notes", "journals", "quests"]


class Kanka:
    """The stand-in for Kanka: a server behind a proxy that can inject faults."""

    def __init__(self, server, token: str, proxy):
        self.server, self.token, self.proxy = server, token, proxy
        self.http = server.client(authorization=f"Bearer {token}")
        [campaign] = self.http.get("/compat/kanka/1.0/campaigns").json()["data"]
        self.number = campaign["id"]
        self.base = f"/compat/kanka/1.0/campaigns/{self.number}"

    def make(self, plural: str, **fields) -> dict:
        answer = self.http.post(f"{self.base}/{plural}", json=fields)
        assert answer.status_code == 201, answer.text
        return answer.json()["data"]

    def make_many(self, type_id: int, rows: list[dict]) -> list[int]:
        """Creates entities of a kind, as many per request as Kanka accepts; returns their
        numbers."""
        made = []
        for start in range(0, len(rows), 20):
            answer = self.http.post(f"{self.base}/entities/{type_id}", json={"entities": rows[start:start + 20]})
            assert answer.status_code == 201, answer.text
            made += [row["id"] for row in answer.json()["data"]]
        return made

    def change(self, entity: int, **fields) -> None:
        assert self.http.patch(f"{self.base}/entities/{entity}", json=fields).status_code == 200

    def read(self, entity: int) -> dict:
        answer = self.http.get(f"{self.base}/entities/{entity}", params={"related": 1})
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]

    def tags(self) -> list[str]:
        names, page = [], 1
        while True:
            body = self.http.get(f"{self.base}/tags", params={"page": page}).json()
            names += [tag["name"] for tag in body["data"]]
            if page >= body["meta"]["last_page"]:
                return names
            page += 1

    def settings(self, **more: str) -> dict[str, str]:
        return {
            "KANKA_TOKEN": self.token, "KANKA_CAMPAIGN_ID": str(self.number),
            "KANKA_API_BASE": self.proxy.url, "KANKA_TIMEOUT": "5", **more,
        }


@contextmanager
def standing_in(binary: str, home, *arguments: str):
    """Runs a stand-in for Kanka."""
    home.mkdir()
    upstream = Program(binary, home)
    token = upstream.token("owner", "Kanka")
    server = upstream.serve("--kanka-rate-limit", "100000", *arguments)
    try:
        with kanka_proxy(server.port) as proxy:
            kanka = Kanka(server, token, proxy)
            try:
                yield kanka
            finally:
                kanka.http.close()
    finally:
        server.kill()


@pytest.fixture
def kanka(binary, tmp_path):
    with standing_in(binary, tmp_path / "kanka") as kanka:
        yield kanka


@pytest.fixture
def live(binary, tmp_path, kanka) -> Program:
    """The program, configured for the campaign, before the first sync."""
    home = tmp_path / "live"
    home.mkdir()
    program = Program(binary, home)
    program.settings = kanka.settings()
    return program


def one(program, tool: str, **arguments) -> dict:
    [row] = call(program, tool, **arguments)["results"]
    return row


def sealed(*row) -> int:
    """Returns the seal that the store computes for a row."""
    forms = {int: (b"i", lambda v: struct.pack("<q", v)), float: (b"r", lambda v: struct.pack("<d", v)),
             str: (b"t", str.encode), bytes: (b"b", bytes)}
    whole = b""
    for value in row:
        sort, form = forms.get(type(value), (b"n", None))
        whole += sort + (struct.pack("<Q", len(form(value))) + form(value) if form else b"")
    return zlib.crc32(whole)


def write_behind(live, entity: int, entry: str) -> None:
    """Changes a text of the mirror in its store, as no door does: another program or an old version
    might."""
    with sqlite3.connect(live.store) as store:
        store.create_function("seal_of", -1, sealed, deterministic=True)
        store.execute("PRAGMA trusted_schema = ON")
        changed = store.execute(
            "UPDATE text SET body = ? WHERE kind = 'entry' AND node = (SELECT id FROM node WHERE number = ?)",
            (entry, entity),
        )
        assert changed.rowcount == 1
    store.close()


def populate(kanka) -> dict[str, dict]:
    """Creates one entity of each kind with tags and posts, and one with a mention and a parent."""
    tag = kanka.make("tags", name="elf", colour="green")
    made = {}
    for plural in KINDS:
        made[plural] = kanka.make(
            plural, name=f"One of {plural}", type="Kind", tags=[tag["id"]],
            entry=f"<p>Some <strong>bold</strong> words about {plural}</p>",
        )
        kanka.http.post(
            f"{kanka.base}/entities/{made[plural]['entity_id']}/posts",
            json={"name": "Secret", "entry": "<p>hidden</p>", "visibility_id": 2},
        )
    first = made["characters"]["entity_id"]
    made["later"] = kanka.make(
        "notes", name="Later", entry=f"<p>See [character:{first}|*her*]</p>", parent_id=first,
        is_private=True,
    )
    return made


def test_a_campaign_is_copied_with_its_numbers_and_read_without_asking(kanka, live):
    made = populate(kanka)
    assert "read, 0 deleted" in live.ok("sync", "kanka")
    with kanka.proxy.counted() as asked:
        found = call(live, "find_entities", limit=0)
        for plural in KINDS:
            entity = made[plural]
            [row] = [row for row in found["entities"] if row["entity_id"] == entity["entity_id"]]
            assert row["id"] == entity["id"] and row["tags"] == ["elf"] and row["type"] == "Kind"
            assert row["entry"] == f"Some **bold** words about {plural}"
        [got] = call(live, "get_entities", entity_ids=[made["quests"]["entity_id"]], include_posts=True)["results"]
        posts = kanka.read(made["quests"]["entity_id"])["child"]["posts"]
        assert [(post["id"], post["name"], post["is_private"]) for post in got["posts"]] == [
            (posts[0]["id"], "Secret", True)
        ]
        assert call(live, "find_entities", query="bold quests")["entities"][0]["name"] == "One of quests"
        assert len(call(live, "find_entities", name="Wan of rases", name_fuzzy=True)["entities"]) >= 1
        assert len(call(live, "find_entities", tags=["elf"])["entities"]) == len(KINDS)
    assert asked == []
    mirror = found["mirror"]
    assert mirror["complete"] and mirror["age_seconds"] < 60 and "problem" not in mirror
    assert found["sync_info"]["total_count"] == len(KINDS) + 1
    with sqlite3.connect(live.store) as store:
        edges = store.execute(
            "SELECT e.kind, s.number, t.number FROM edge e JOIN node s ON s.id = e.source"
            " JOIN node t ON t.id = e.target WHERE e.kind <> 'tagged' AND e.deleted_at IS NULL"
        ).fetchall()
    later, first = made["later"]["entity_id"], made["characters"]["entity_id"]
    assert sorted(edges) == [("mentions", later, first), ("parent", later, first)]


def test_changes_deletions_and_news_arrive_with_few_requests(kanka, live):
    numbers = [kanka.make("characters", name=f"Person {n}")["entity_id"] for n in range(100)]
    # Kanka stores whole seconds, so what was made just before the first sync may count as changed
    # after it.
    time.sleep(2.1)
    live.ok("sync", "kanka")
    with kanka.proxy.counted() as asked:
        assert "0 read, 0 deleted" in live.ok("sync", "kanka")
    # One page of changes and one request for the count; more only for what is seconds old.
    assert len(asked) <= 4, asked
    stamp = call(live, "find_entities", limit=1)["sync_info"]["request_timestamp"]
    kanka.change(numbers[3], entry="<p>New words</p>")
    person = kanka.read(numbers[50])
    assert kanka.http.delete(f"{kanka.base}/characters/{person['child_id']}").status_code == 204
    kanka.http.post(f"{kanka.base}/entities/{numbers[7]}/posts", json={"name": "News", "entry": "x"})
    fresh = kanka.make("journals", name="Fresh", date="2025-05-30")["entity_id"]
    held = [numbers[3], numbers[7], numbers[8], numbers[50], numbers[99]]
    # The mirror was synced a moment ago, so it does not sync by itself yet.
    assert "deleted" in live.ok("sync", "kanka")
    told = call(live, "check_entity_updates", entity_ids=held, last_synced=stamp)
    assert told["modified_entity_ids"] == [numbers[3], numbers[7]]
    assert told["deleted_entity_ids"] == [numbers[50]]
    journal = call(live, "find_entities", date_range={"start": "2025-05-30", "end": "2025-05-30"})
    assert [row["entity_id"] for row in journal["entities"]] == [fresh]
    assert one(live, "get_entities", entity_ids=[numbers[3]])["entry"] == "New words"
    again = call(live, "check_entity_updates", entity_ids=held[:3], last_synced=told["check_timestamp"])
    # Changes within the second of the check are reported twice rather than never.
    assert set(again["modified_entity_ids"]) <= {numbers[3], numbers[7]}


FINDS = [
    {}, {"limit": 0}, {"entity_type": "character"}, {"name": "person 7"}, {"name": "Person 7", "name_exact": True},
    {"name": "Pirson 77", "name_fuzzy": True}, {"tags": ["tag 7", "tag 8"]}, {"type": "npc"},
    {"query": "ancient grove"}, {"query": "grove", "tags": ["tag 7"], "entity_type": "quest"},
    {"date_range": {"start": "2025-05-01", "end": "2025-05-31"}}, {"last_synced": "2020-01-01"},
    {"include_full": False, "limit": 100, "page": 2},
]
"""Arguments for each way of finding."""


def test_a_campaign_of_many_is_read_without_a_request_and_written_with_few(kanka, live):
    kanka.make_many(12, [{"name": f"tag {n}"} for n in range(120)])
    tags = {tag["name"]: tag["id"] for page in (1, 2, 3)
            for tag in kanka.http.get(f"{kanka.base}/tags", params={"page": page}).json()["data"]}
    numbers = []
    for kind in (1, 3, 10, 11):
        numbers += kanka.make_many(kind, [{
            "name": f"Person {n}", "type": "NPC", "tags": [tags[f"tag {n % 120}"], tags[f"tag {(n + 1) % 120}"]],
            "entry": f"<p>Of the ancient grove. Date: 2025-05-{n % 28 + 1:02}</p>",
        } for n in range(60)])
    live.ok("sync", "kanka")
    with live.stdio(env={"KANKA_REFRESH": "0"}) as pipes:
        pipes.initialize()

        def ask(tool: str, **arguments) -> dict:
            return pipes.request("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]

        with kanka.proxy.counted() as asked:
            for arguments in FINDS:
                assert ask("find_entities", **arguments)["entities"], arguments
            got = ask("get_entities", entity_ids=numbers[:100], include_posts=True)["results"]
        assert asked == [] and len(got) == 100 and all(row["success"] for row in got)
        costs = {}
        for what, tool, item in [
            ("entry", "update_entities", {"updates": [{"entity_id": numbers[0], "entry": "new"}]}),
            ("known tags", "update_entities", {"updates": [{"entity_id": numbers[1], "tags": ["tag 5", "Tag 119"]}]}),
            ("create", "create_entities", {"entities": [
                {"entity_type": "note", "name": "Fresh", "tags": ["TAG 0", "tag 60", "tag 119"]}]}),
        ]:
            with kanka.proxy.counted() as asked:
                assert ask(tool, **item)["results"][0]["success"], what
            costs[what] = len(asked)
        assert costs == {"entry": 2, "known tags": 2, "create": 1}
    names = kanka.tags()
    assert len(names) == len(set(names)) == 120


def test_the_changed_and_the_deleted_are_told_exactly(kanka, live):
    numbers = kanka.make_many(1, [{"name": f"Person {n}"} for n in range(200)])
    time.sleep(2.1)  # Kanka stores whole seconds.
    live.ok("sync", "kanka")
    stamp = call(live, "find_entities", limit=1)["sync_info"]["request_timestamp"]
    changed, gone = [numbers[at] for at in (0, 45, 46, 199)], [numbers[at] for at in (1, 44, 90, 198)]
    for number in changed:
        kanka.change(number, entry="<p>New words</p>")
    for number in gone:
        child = kanka.read(number)["child_id"]
        assert kanka.http.delete(f"{kanka.base}/characters/{child}").status_code == 204
    for looked in ("a moment ago", "just now"):
        told = call(live, "check_entity_updates", entity_ids=numbers, last_synced=stamp)
        assert told["modified_entity_ids"] == changed and told["deleted_entity_ids"] == gone, looked
        kanka.change(changed[0], entry=f"<p>Words {looked}</p>")
    assert one(live, "get_entities", entity_ids=[changed[0]])["entry"] == "Words a moment ago"


def test_writes_at_once_leave_the_mirror_as_kanka_is(kanka, live):
    entity = kanka.make("characters", name="Aelysh", entry="<p>old</p>")["entity_id"]
    live.ok("sync", "kanka")
    server = live.serve(env={"KANKA_REFRESH": "0"})
    try:
        def work(n: int) -> list[dict]:
            with server.client() as http:
                rows = []
                for tool, arguments in [
                    ("create_posts", {"posts": [{"entity_id": entity, "name": f"Post {n}", "entry": "x"}]}),
                    ("update_entities", {"updates": [{"entity_id": entity, "tags": [f"tag {n % 3}", "shared"]}]}),
                    ("update_entities", {"updates": [{"entity_id": entity, "type": f"Type {n}"}]}),
                ]:
                    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                            "params": {"name": tool, "arguments": arguments}}
                    answer = http.post("/mcp", json=body, headers={"accept": "application/json"})
                    rows += answer.json()["result"]["structuredContent"]["results"]
                return rows

        with ThreadPoolExecutor(8) as pool:
            rows = [row for rows in pool.map(work, range(8)) for row in rows]
        assert all(row["success"] for row in rows), rows
    finally:
        server.kill()
    there = kanka.read(entity)
    here = one(live, "get_entities", entity_ids=[entity], include_posts=True)
    assert sorted(post["id"] for post in here["posts"]) == sorted(post["id"] for post in there["child"]["posts"])
    assert len(here["posts"]) == 8 and here["type"] == there["child"]["type"]
    tags = kanka.tags()
    assert sorted(tags) == ["shared", "tag 0", "tag 1", "tag 2"] and len(here["tags"]) == 2
    assert "0 deleted" in live.ok("sync", "kanka")
    assert one(live, "get_entities", entity_ids=[entity], include_posts=True) == here


def test_writes_go_through_in_as_few_requests_as_they_can(kanka, live):
    kanka.make("tags", name="known")
    live.ok("sync", "kanka")
    with kanka.proxy.counted() as asked:
        made = one(live, "create_entities", entities=[{
            "entity_type": "organization", "name": "The Guard", "type": "Guild",
            "entry": "Led by **Bob**. [new:character|Eve]", "tags": ["KNOWN"],
        }])
    assert made["success"] and len(asked) == 1, asked
    entity = made["entity_id"]
    there = kanka.read(entity)
    assert there["name"] == "The Guard" and there["child_id"] == made["id"]
    assert "<strong>Bob</strong>" in there["child"]["entry"] and "[new:" not in there["child"]["entry"]
    with kanka.proxy.counted() as asked:
        assert one(live, "update_entities", updates=[{"entity_id": entity, "entry": "Led by *Ann*."}])["success"]
    assert len(asked) == 2, asked
    with kanka.proxy.counted() as asked:
        assert one(live, "update_entities", updates=[{"entity_id": entity, "tags": ["known", "fresh"]}])["success"]
    assert len(asked) <= 4 and sorted(kanka.tags()) == ["fresh", "known"]
    assert "<em>Ann</em>" in kanka.read(entity)["child"]["entry"]
    with kanka.proxy.counted() as asked:
        post = one(live, "create_posts", posts=[{"entity_id": entity, "name": "P", "entry": "x", "is_private": True}])
    assert len(asked) == 1
    [there] = kanka.read(entity)["child"]["posts"]
    assert (there["id"], there["visibility_id"]) == (post["post_id"], 2)
    assert one(live, "update_posts", updates=[{"entity_id": entity, "post_id": post["post_id"], "entry": "y"}])["success"]
    assert kanka.read(entity)["child"]["posts"][0]["entry"] == "<p>y</p>"
    assert kanka.read(entity)["child"]["posts"][0]["visibility_id"] == 2
    got = one(live, "get_entities", entity_ids=[entity], include_posts=True)
    assert got["posts"][0]["entry"] == "y" and got["tags"] == ["fresh", "known"]
    with kanka.proxy.counted() as asked:
        assert one(live, "delete_posts", deletions=[{"entity_id": entity, "post_id": post["post_id"]}])["success"]
        assert one(live, "delete_entities", entity_ids=[entity])["success"]
    assert len(asked) == 2, asked
    assert kanka.http.get(f"{kanka.base}/entities/{entity}").status_code == 404
    assert not one(live, "get_entities", entity_ids=[entity])["success"]


def test_a_tag_is_made_once_however_many_there_are(kanka, live):
    for n in range(60):
        kanka.make("tags", name=f"tag {n}")
    live.ok("sync", "kanka")
    kanka.make("tags", name="made elsewhere")
    rows = call(live, "create_entities", entities=[
        {"entity_type": "race", "name": f"Race {n}", "tags": ["tag 59", "Made Elsewhere", "all new"]}
        for n in range(3)
    ])["results"]
    assert all(row["success"] for row in rows)
    tags = kanka.tags()
    assert len(tags) == len(set(tags)) == 62


def test_what_changed_on_both_sides_is_reported_and_not_overwritten(kanka, live):
    entity = kanka.make("locations", name="Mill", entry="<p>one</p>")["entity_id"]
    live.ok("sync", "kanka")
    kanka.change(entity, entry="<p>theirs</p>")
    row = one(live, "update_entities", updates=[{"entity_id": entity, "entry": "ours"}])
    assert not row["success"] and "changed by somebody else" in row["error"]
    assert kanka.read(entity)["child"]["entry"] == "<p>theirs</p>"
    assert one(live, "get_entities", entity_ids=[entity])["entry"] == "theirs"
    assert one(live, "update_entities", updates=[{"entity_id": entity, "entry": "ours"}])["success"]
    kanka.change(entity, entry="<p>theirs again</p>")
    assert one(live, "update_entities", updates=[{"entity_id": entity, "type": "Ruin"}])["success"], (
        "another field is no conflict"
    )
    assert kanka.read(entity)["child"]["entry"] == "<p>theirs again</p>"


def test_a_change_made_here_behind_the_mirror_is_kept_and_told(kanka, live):
    entity = kanka.make("locations", name="Mill", entry="<p>one</p>")["entity_id"]
    gone = kanka.make("locations", name="Barn", entry="<p>two</p>")
    live.ok("sync", "kanka")
    for number, words in ((entity, "ours"), (gone["entity_id"], "mine")):
        write_behind(live, number, words)
    told = live.ok("sync", "kanka")
    kanka.change(entity, entry="<p>theirs</p>")
    kanka.http.delete(f"{kanka.base}/locations/{gone['id']}")
    told = live.ok("sync", "kanka")
    assert f"entity {entity}, Mill: it was changed here and on Kanka" in told
    assert f"entity {gone['entity_id']}, Barn: it was deleted on Kanka and changed here" in told
    found = call(live, "find_entities", entity_type="location")
    assert [row["entry"] for row in found["entities"]] == ["ours", "mine"]
    assert found["mirror"]["conflicts"] == 2
    assert kanka.read(entity)["child"]["entry"] == "<p>theirs</p>"
    live.ok("sync", "kanka", "--theirs")
    found = call(live, "find_entities", entity_type="location")
    assert [row["entry"] for row in found["entities"]] == ["theirs"]
    assert "conflicts" not in found["mirror"]


def test_tags_that_the_mirror_does_not_know_stay_on_both_sides(kanka, live):
    first, second = (kanka.make("characters", name=name) for name in ("Aelysh", "Bob"))
    live.ok("sync", "kanka")
    brand = kanka.make("tags", name="brand")["id"]
    for entity in (first, second):
        assert kanka.http.patch(f"{kanka.base}/characters/{entity['id']}", json={"tags": [brand]}).status_code == 200
    # A client that never saw a tag cannot have meant to remove it.
    assert one(live, "update_entities", updates=[{"entity_id": second["entity_id"], "tags": ["mine"]}])["success"]
    number = first["entity_id"]
    assert one(live, "update_entities", updates=[{"entity_id": number, "type": "PC"}])["success"]
    assert one(live, "get_entities", entity_ids=[number])["tags"] == ["brand"]
    assert one(live, "update_entities", updates=[{"entity_id": number, "tags": ["brand", "mine"]}])["success"]
    mine = kanka.http.get(f"{kanka.base}/tags", params={"name": "mine"}).json()["data"][0]["id"]
    for entity in (first, second):
        assert sorted(kanka.read(entity["entity_id"])["child"]["tags"]) == [brand, mine]
    assert one(live, "update_entities", updates=[{"entity_id": number, "tags": ["mine"]}])["success"]
    assert kanka.read(number)["child"]["tags"] == [mine]
    assert sorted(kanka.tags()) == ["brand", "mine"]


def test_a_tag_is_made_once_whatever_happened_to_it_there(kanka, live):
    old = kanka.make("tags", name="old name")["id"]
    live.ok("sync", "kanka")

    def tagged(*names: str) -> dict:
        return one(live, "create_entities", entities=[{"entity_type": "race", "name": "Elf", "tags": list(names)}])

    kanka.proxy.fail("late cut", where="POST .*/tags", times=1)
    assert not tagged("cut off")["success"]
    assert tagged("cut off")["success"]
    assert kanka.http.patch(f"{kanka.base}/tags/{old}", json={"name": "new name"}).status_code == 200
    assert tagged("New name", "cut off")["success"]
    kanka.make("tags", name="made there")
    assert tagged("Made there", "a; b", "c!")["success"] and tagged("A; B", "c!")["success"]
    assert sorted(kanka.tags()) == ["a; b", "c!", "cut off", "made there", "new name"]


def test_what_was_changed_here_survives_a_change_to_something_else(kanka, live):
    entity = kanka.make("locations", name="Mill", entry="<p>one</p>")["entity_id"]
    live.ok("sync", "kanka")
    write_behind(live, entity, "ours")
    kanka.change(entity, entry="<p>theirs</p>")
    assert "changed here and on Kanka" in live.ok("sync", "kanka")
    assert one(live, "update_entities", updates=[{"entity_id": entity, "type": "Ruin"}])["success"]
    here = one(live, "get_entities", entity_ids=[entity])
    assert (here["entry"], here["type"]) == ("ours", "Ruin")
    there = kanka.read(entity)["child"]
    assert (there["entry"], there["type"]) == ("<p>theirs</p>", "Ruin")
    assert call(live, "find_entities")["mirror"]["conflicts"] == 1
    # Writing the text resolves the conflict.
    assert one(live, "update_entities", updates=[{"entity_id": entity, "entry": "ours and theirs"}])["success"]
    assert kanka.read(entity)["child"]["entry"] == "<p>ours and theirs</p>"
    assert "conflicts" not in call(live, "find_entities")["mirror"]
    assert "changed here" not in live.ok("sync", "kanka")


def test_what_the_mirror_does_not_have_is_not_called_deleted(kanka, live):
    place = kanka.make("locations", name="Mill")["entity_id"]
    person = kanka.make("characters", name="Aelysh")
    stamp = "2020-01-01T00:00:00Z"

    def check(*numbers: int) -> dict:
        return call(live, "check_entity_updates", entity_ids=list(numbers), last_synced=stamp)

    kanka.proxy.fail("cut", where="GET .*/locations")
    assert live.run("sync", "kanka").returncode == 1
    kanka.proxy.mend()
    told = check(place, person["entity_id"])
    assert told["deleted_entity_ids"] == [] and told["unchecked_entity_ids"] == [place]
    live.ok("sync", "kanka")
    fresh = kanka.make("characters", name="Fresh")["entity_id"]
    told = check(fresh, 999_999)
    assert (told["modified_entity_ids"], told["deleted_entity_ids"]) == ([fresh], [999_999])
    assert "unchecked_entity_ids" not in told
    kanka.http.delete(f"{kanka.base}/characters/{person['id']}")
    live.ok("sync", "kanka")
    kanka.server.kill()
    told = check(person["entity_id"], fresh, 12_345)
    assert told["deleted_entity_ids"] == [person["entity_id"]] and told["unchecked_entity_ids"] == [12_345]


def test_a_second_change_within_a_second_arrives(kanka, live):
    kanka.proxy.whole_seconds = True
    entity = kanka.make("characters", name="Aelysh")["entity_id"]
    live.ok("sync", "kanka")
    for number in range(6):
        kanka.change(entity, entry=f"<p>version {number}</p>")
        live.ok("sync", "kanka")
        assert one(live, "get_entities", entity_ids=[entity])["entry"] == f"version {number}"


def test_entities_are_listed_as_they_were_made_there(kanka, live):
    numbers = kanka.make_many(1, [{"name": f"Person {n}", "tags": []} for n in range(60)])
    numbers += [kanka.make(plural, name="One")["entity_id"] for plural in ("quests", "characters", "notes")]
    live.ok("sync", "kanka")
    assert [row["entity_id"] for row in call(live, "find_entities", limit=0)["entities"]] == numbers
    page = call(live, "find_entities", limit=2, page=31)["entities"]
    assert [row["entity_id"] for row in page] == numbers[60:62]


def test_articles_of_the_mirror_are_written_to_kanka(kanka, live):
    entity = kanka.make("locations", name="Mill", entry="<p>one</p>")["entity_id"]
    live.ok("sync", "kanka")

    def atlas(tool: str, **arguments) -> dict:
        return json.loads(live.ok("call", tool, json.dumps(arguments), "--toolsets", "all"))["data"]

    changed = atlas("update_article", article_id=str(entity), title="Old Mill", content="**two**")
    assert (changed["title"], changed["content"]) == ("Old Mill", "**two**")
    there = kanka.read(entity)
    assert (there["name"], there["child"]["entry"]) == ("Old Mill", "<p><strong>two</strong></p>")
    made = atlas("create_article", title="Bob", template="person", tags=["elf"])
    [person] = kanka.http.get(f"{kanka.base}/characters").json()["data"]
    assert person["name"] == "Bob" and person["is_private"] and kanka.tags() == ["elf"]
    refused = live.run("call", "update_article", json.dumps({"article_id": made["id"], "sections": {"x": "y"}}),
                       "--toolsets", "all")
    assert refused.returncode != 0 and "mirrors a campaign on Kanka" in refused.stdout + refused.stderr
    atlas("delete_article", article_id=made["id"])
    assert kanka.http.get(f"{kanka.base}/characters").json()["data"] == []
    assert "changed here" not in live.ok("sync", "kanka")


def test_a_change_whose_answer_was_lost_can_be_repeated(kanka, live):
    entity = kanka.make("characters", name="Aelysh", entry="<p>old</p>", type="NPC")["entity_id"]
    live.ok("sync", "kanka")
    for fields in ({"name": "Aelysh the Green"}, {"entry": "A *new* text"}, {"type": "Elf"}, {"is_private": True},
                   {"tags": ["green"]}, {"name": "All", "entry": "of it", "type": "", "is_private": False, "tags": []}):
        update = {"entity_id": entity, **fields}
        kanka.proxy.fail("late cut", where="PATCH")
        assert not one(live, "update_entities", updates=[update])["success"]
        kanka.proxy.mend()
        row = one(live, "update_entities", updates=[update])
        assert row["success"], (fields, row)
    assert kanka.read(entity)["name"] == "All" and one(live, "get_entities", entity_ids=[entity])["name"] == "All"


def test_a_change_whose_answer_is_lost_is_not_called_nothing(kanka, live):
    entity = kanka.make("characters", name="Aelysh", entry="<p>old</p>")["entity_id"]
    live.ok("sync", "kanka")
    for fault in ("html", "late cut"):
        kanka.proxy.fail(fault, where="PATCH")
        row = one(live, "update_entities", updates=[{"entity_id": entity, "entry": fault}])
        kanka.proxy.mend()
        assert not row["success"] and "nothing was changed" not in row["error"], row
        assert "shows after the next sync" in row["error"], row


def test_what_was_deleted_there_and_comes_back_comes_back_here(kanka, live):
    entity = kanka.make("notes", name="Ghost", entry="<p>boo</p>")
    live.ok("sync", "kanka")
    row = one(live, "update_entities", updates=[{"entity_id": entity["entity_id"], "name": "Ghost"}])
    assert row["success"]
    kanka.http.delete(f"{kanka.base}/notes/{entity['id']}")
    row = one(live, "update_entities", updates=[{"entity_id": entity["entity_id"], "name": "New"}])
    assert not row["success"] and "deleted there" in row["error"]
    assert call(live, "find_entities")["entities"] == []


FAULTS = {
    "401": "does not accept the token", "401 old": "Unauthenticated", "401 told": "Invalid token …",
    "403": "This action is unauthorized",
    "422": "name is not accepted by Kanka: Canary is taken", "html": "web page instead of data",
    "422 old": "name is not accepted by Kanka: Canary is taken", "nonsense": "unknown form",
}
"""Error messages for faults that end a request at once."""
PASSING = {"cut": "not available", "500": "status 500: Server error", "503 html": "web page instead of data",
           "truncated": "not available", "404": "not found"}
"""Error messages for faults that a repeatable request survives by trying again, and for those that
mean that something is gone."""


def test_a_write_that_fails_says_why_and_changes_nothing_here(kanka, live):
    entity = kanka.make("characters", name="Aelysh", entry="<p>old</p>")["entity_id"]
    live.ok("sync", "kanka")
    making = [
        ("create_entities", {"entities": [{"entity_type": "note", "name": "Half"}]}),
        ("create_posts", {"posts": [{"entity_id": entity, "name": "Half"}]}),
    ]
    changing = [("update_entities", {"updates": [{"entity_id": entity, "entry": "new"}]})]
    with live.stdio(env={"KANKA_REFRESH": "0"}) as pipes:
        pipes.initialize()

        def ask(tool: str, **arguments) -> dict:
            return pipes.request("tools/call", {"name": tool, "arguments": arguments})["structuredContent"]

        before = ask("find_entities", limit=0)["entities"]
        for fault, words in {**FAULTS, **PASSING}.items():
            kanka.proxy.fail(fault, where="^(POST|PATCH|DELETE)")
            for tool, arguments in making + (changing if fault in FAULTS or fault == "500" else []):
                [row] = ask(tool, **arguments)["results"]
                assert not row["success"] and words in row["error"], (fault, tool, row)
                assert kanka.token not in json.dumps(row)
            kanka.proxy.mend()
            assert ask("find_entities", limit=0)["entities"] == before, fault
    live.ok("sync", "kanka")
    # What reached Kanka although its answer was lost is here after the next sync, once.
    names = [row["name"] for row in call(live, "find_entities", limit=0)["entities"]]
    there = kanka.http.get(f"{kanka.base}/entities").json()["data"]
    assert sorted(names) == sorted(row["name"] for row in there)


@pytest.mark.parametrize(("fault", "words"), [("429", "too many requests"), ("429 long", "wait 50 s")])
def test_who_waits_is_told_when_to_come_back(kanka, live, fault, words):
    live.ok("sync", "kanka")
    kanka.proxy.fail(fault, where="POST")
    row = one(live, "create_entities", entities=[{"entity_type": "note", "name": "Half"}])
    assert not row["success"] and words in row["error"], row
    assert call(live, "find_entities")["entities"] == []


@pytest.fixture(scope="module")
def crowded(binary, tmp_path_factory):
    """A campaign of two pages that the tests only read."""
    with standing_in(binary, tmp_path_factory.mktemp("crowded") / "kanka") as kanka:
        for n in range(60):
            kanka.make("characters", name=f"Person {n}")
        kanka.make("quests", name="Last")
        time.sleep(2.1)  # Kanka stores whole seconds: younger entities are read once more.
        yield kanka


BROKEN_OFF = ["cut", "401", "401 old", "403", "404", "422", "500", "503 html", "html", "nonsense", "truncated", "slow"]


@pytest.mark.parametrize("fault", BROKEN_OFF)
def test_a_sync_that_breaks_off_goes_on_where_it_was(binary, tmp_path, crowded, fault):
    live = Program(binary, tmp_path)
    live.settings = crowded.settings(KANKA_TIMEOUT="1")
    crowded.proxy.fail(fault, where="GET .*/locations")
    done = live.run("sync", "kanka")
    crowded.proxy.mend()
    assert done.returncode == 1 and "try:" in done.stderr, done.stderr
    assert crowded.token not in done.stdout + done.stderr
    found = call(live, "find_entities", limit=0)
    assert len(found["entities"]) == 60 and not found["mirror"]["complete"]
    assert "lorewell sync kanka" in found["mirror"]["hint"]
    assert found["mirror"]["problem"]
    with crowded.proxy.counted() as asked:
        live.ok("sync", "kanka")
    assert not [line for line in asked if "/characters" in line or "/tags" in line], asked
    found = call(live, "find_entities", limit=0)
    assert len(found["entities"]) == 61 and found["mirror"]["complete"] and not {"problem", "hint"} & set(found["mirror"])


def test_passing_troubles_are_waited_out(kanka, live):
    kanka.make("characters", name="Aelysh")
    for fault in ("429 after", "429", "500", "truncated"):
        kanka.proxy.fail(fault, where="GET", times=1)
    live.ok("sync", "kanka")
    kanka.proxy.fail("429 after", where="POST", times=1)
    assert one(live, "create_entities", entities=[{"entity_type": "note", "name": "Once"}])["success"]
    notes = kanka.http.get(f"{kanka.base}/notes").json()["data"]
    assert [note["name"] for note in notes] == ["Once"]


def test_something_that_may_have_been_made_is_not_made_twice(kanka, live):
    live.ok("sync", "kanka")
    kanka.proxy.fail("late cut", where="POST")
    row = one(live, "create_entities", entities=[{"entity_type": "note", "name": "Once"}])
    assert not row["success"] and "do not repeat it blindly" in row["error"]
    assert "retry" not in row["error"], row
    notes = kanka.http.get(f"{kanka.base}/notes").json()["data"]
    assert [note["name"] for note in notes] == ["Once"]
    kanka.proxy.mend()
    live.ok("sync", "kanka")
    assert [row["name"] for row in call(live, "find_entities")["entities"]] == ["Once"]


def test_offline_it_can_be_read_and_not_written(kanka, live):
    made = populate(kanka)
    live.ok("sync", "kanka")
    kanka.server.kill()
    found = call(live, "find_entities", query="bold quests")
    assert found["entities"][0]["name"] == "One of quests"
    entity = made["quests"]["entity_id"]
    row = one(live, "update_entities", updates=[{"entity_id": entity, "name": "New"}])
    assert not row["success"] and "reading goes on from the mirror" in row["error"]
    assert one(live, "get_entities", entity_ids=[entity])["name"] == "One of quests"


def test_the_token_goes_to_the_configured_host_and_into_no_log(kanka, live):
    kanka.make("characters", name="Aelysh")
    done = live.run("-vvv", "sync", "kanka")
    assert done.returncode == 0
    assert kanka.token not in done.stdout + done.stderr
    assert kanka.proxy.tokens == {f"Bearer {kanka.token}"}
    for mode in live.data.rglob("*"):
        if mode.is_file():
            assert kanka.token.encode() not in mode.read_bytes(), mode


def test_a_running_server_copies_by_itself_and_keeps_up(kanka, live):
    first = kanka.make("characters", name="Aelysh")["entity_id"]
    server = live.serve(env={"KANKA_REFRESH": "1"})
    try:
        rows = lambda: call(live, "find_entities")["entities"]
        assert until(lambda: [row["name"] for row in rows()] == ["Aelysh"])
        kanka.change(first, name="Aelysh the Green")
        assert until(lambda: [row["name"] for row in rows()] == ["Aelysh the Green"])
        kanka.http.delete(f"{kanka.base}/characters/1")
        assert until(lambda: rows() == [])
    finally:
        server.kill()


def test_the_context_says_which_mode_it_is(kanka, live, program):
    live.ok("sync", "kanka")
    read = {"uri": "kanka://context"}
    with live.stdio() as pipes:
        pipes.initialize()
        told = json.loads(pipes.request("resources/read", read)["contents"][0]["text"])["mode"]
    assert told["kind"] == "live" and told["campaign_id"] == kanka.number and told["mirror"]["complete"]
    with program.stdio() as pipes:
        pipes.initialize()
        told = json.loads(pipes.request("resources/read", read)["contents"][0]["text"])["mode"]
    assert told["kind"] == "local"


def test_half_a_configuration_and_a_world_in_use_are_refused(kanka, live, program):
    done = program.run("sync", "kanka", env={"KANKA_TOKEN": "x"})
    assert done.returncode == 1 and "KANKA_CAMPAIGN_ID" in done.stderr
    assert "set both, or unset KANKA_TOKEN" in done.stderr
    config = live.home / "lorewell.toml"
    config.write_text('[kanka]\nworld = "Mine"\n')
    plain = Program(live.binary, live.home)
    plain.ok("world", "create", "Mine")
    plain.ok("--world", "Mine", "call", "create_entities",
             json.dumps({"entities": [{"entity_type": "note", "name": "Own"}]}))
    done = live.run("--config", str(config), "sync", "kanka")
    assert done.returncode == 1 and "has things of its own" in done.stderr


def test_a_campaign_that_does_not_answer_leaves_no_world_behind(kanka, live):
    live.settings |= {"KANKA_CAMPAIGN_ID": "999"}
    done = live.run("sync", "kanka")
    assert done.returncode == 1, done
    assert "999" not in live.ok("world", "list")
    assert live.run("serve").returncode == 1
    assert "999" not in live.ok("world", "list")


def test_ending_a_role_is_no_change_on_kanka(kanka, live):
    entity = kanka.make("characters", name="Aelysh", entry="<p>herring</p>")["entity_id"]
    live.ok("sync", "kanka")
    campaign = call(live, "campaign_create", name="Ash", gm_mode="AI")["id"]
    made = call(live, "character_create", campaign_id=campaign, name="Aelysh", kind="PC", page_id=entity)
    call(live, "character_update", character_id=made["id"], archived=True)
    assert [row["name"] for row in call(live, "find_entities", query="herring")["entities"]] == ["Aelysh"]
    call(live, "character_update", character_id=made["id"], archived=False)
    live.ok("sync", "kanka")
    assert one(live, "get_entities", entity_ids=[entity])["sheet"]["campaign_id"] == campaign
    assert kanka.read(entity)["name"] == "Aelysh"


def test_a_tag_is_as_private_as_it_is_there(kanka, live):
    tag = kanka.make("tags", name="Canary")
    entity = kanka.make("characters", name="Open", tags=[tag["id"]])["entity_id"]

    def change_tag(**fields):
        assert kanka.http.patch(f"{kanka.base}/tags/{tag['id']}", json=fields).status_code == 200

    change_tag(is_private=True)
    live.ok("sync", "kanka")
    assert one(live, "get_entities", entity_ids=[entity])["tags"] == ["Canary"]
    assert one(live, "update_entities", updates=[{"entity_id": entity, "tags": ["Canary"]}])["success"]
    change_tag(is_private=True, name="Canary bird")
    live.ok("sync", "kanka")
    found = call(live, "find_entities", tags=["Canary bird"])
    assert [row["name"] for row in found["entities"]] == ["Open"] and "conflicts" not in found["mirror"]
    token = live.token("player", "Alice")
    server = live.serve(env={"KANKA_REFRESH": "0"})
    try:
        with server.client(authorization=f"Bearer {token}") as http:
            for arguments in ({}, {"query": "Canary"}, {"tags": ["Canary bird"]}):
                body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                        "params": {"name": "find_entities", "arguments": arguments}}
                answer = http.post("/mcp", json=body, headers={"accept": "application/json, text/event-stream"})
                assert "Canary" not in answer.text and ("Open" in answer.text) == (not arguments)
    finally:
        server.kill()


def test_only_what_is_gone_there_goes_here(kanka, live):
    entity = kanka.make("characters", name="Aelysh")
    live.ok("sync", "kanka")
    kanka.proxy.fail("404", where="GET .*/entities/")
    row = one(live, "update_entities", updates=[{"entity_id": entity["entity_id"], "name": "New"}])
    assert not row["success"] and "KANKA_API_BASE" in row["error"], row
    told = call(live, "check_entity_updates", entity_ids=[entity["entity_id"] + 77],
                last_synced="2020-01-01")
    assert told["deleted_entity_ids"] == []
    kanka.proxy.mend()
    kanka.proxy.fail("200 empty", where="DELETE")
    assert not one(live, "delete_entities", entity_ids=[entity["entity_id"]])["success"]
    assert [row["name"] for row in call(live, "find_entities")["entities"]] == ["Aelysh"]


def test_a_hidden_post_stays_hidden_as_it_was(kanka, live):
    entity = kanka.make("characters", name="Aelysh")["entity_id"]
    posts = f"{kanka.base}/entities/{entity}/posts"
    post = kanka.http.post(posts, json={"name": "Own", "entry": "", "visibility_id": 4}).json()["data"]["id"]
    live.ok("sync", "kanka")
    with kanka.proxy.bodies() as sent:
        update = {"entity_id": entity, "post_id": post, "name": "Mine", "is_hidden": True}
        assert one(live, "update_posts", updates=[update])["success"]
    assert [json.loads(body) for body in sent] == [{"name": "Mine"}]


def test_players_read_the_mirror_and_do_not_write_with_the_owners_token(kanka, live):
    entity = kanka.make("characters", name="Open")["entity_id"]
    kanka.make("characters", name="Canary", is_private=True)
    live.ok("sync", "kanka")
    token = live.token("player", "Alice")
    server = live.serve(env={"KANKA_REFRESH": "0"})
    try:
        with server.client(authorization=f"Bearer {token}") as http:
            def ask(tool, arguments):
                body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                        "params": {"name": tool, "arguments": arguments}}
                answer = http.post("/mcp", json=body, headers={"accept": "application/json, text/event-stream"})
                return answer.text
            assert "Canary" not in ask("find_entities", {}) and "Open" in ask("find_entities", {})
            refused = ask("update_entities", {"updates": [{"entity_id": entity, "name": "Mine"}]})
            assert "needs the role gm" in refused
        assert kanka.read(entity)["name"] == "Open"
    finally:
        server.kill()


def crowd(kanka, count: int) -> list[int]:
    """Creates characters and waits until they are seconds old. With enough of them, a list has
    several pages."""
    numbers = kanka.make_many(1, [{"name": f"Person {n}"} for n in range(count)])
    time.sleep(2.1)
    return numbers


def bury(kanka, entity: int) -> None:
    child = kanka.read(entity)["child_id"]
    assert kanka.http.delete(f"{kanka.base}/characters/{child}").status_code == 204


def assert_whole(live, numbers: list[int]) -> None:
    """Asserts that the mirror is complete and has exactly these entities."""
    found = call(live, "find_entities", limit=0, include_full=False)
    assert found["mirror"]["complete"]
    assert sorted(row["entity_id"] for row in found["entities"]) == sorted(numbers)


def test_what_is_deleted_during_the_first_copy_leaves_nothing_wrong(kanka, live):
    """Later entities move up by one place, so one is skipped, and yet the mirror has as many as
    Kanka, because it still has the deleted one."""
    numbers = crowd(kanka, 100)
    kanka.proxy.meanwhile("characters.related=1&page=2", lambda: bury(kanka, numbers[3]))
    live.ok("sync", "kanka")
    assert_whole(live, numbers[:3] + numbers[4:])


def test_what_is_deleted_and_made_in_a_pause_of_the_first_copy_leaves_nothing_wrong(kanka, live):
    numbers = crowd(kanka, 100)
    kanka.proxy.fail("cut", where="characters.related=1&page=2")
    assert live.run("sync", "kanka").returncode == 1
    kanka.proxy.mend()
    bury(kanka, numbers[3])
    fresh = kanka.make("characters", name="Fresh")["entity_id"]
    live.ok("sync", "kanka")
    assert_whole(live, numbers[:3] + numbers[4:] + [fresh])


def test_the_first_copy_costs_no_second_one_where_nothing_was_deleted(kanka, live):
    numbers = crowd(kanka, 100)
    fresh = []
    kanka.proxy.meanwhile(
        "characters.related=1&page=2", lambda: fresh.append(kanka.make("characters", name="Fresh")["entity_id"])
    )
    with kanka.proxy.counted() as asked:
        live.ok("sync", "kanka")
    assert_whole(live, numbers + fresh)
    # The first request only asks whether there is such a campaign.
    assert len([line for line in asked if "entities?" in line]) <= 6, asked


def test_no_change_is_lost_when_something_is_deleted_while_changes_are_listed(kanka, live):
    numbers = crowd(kanka, 100)
    live.ok("sync", "kanka")
    for number in numbers[20:80]:
        kanka.change(number, entry=f"<p>changed {number}</p>")
    time.sleep(3.1)
    kanka.proxy.meanwhile("entities.*page=2.*lastSync", lambda: bury(kanka, numbers[23]))
    live.ok("sync", "kanka")
    rows = call(live, "find_entities", limit=0)["entities"]
    entries = {row["entity_id"]: row.get("entry") for row in rows}
    assert len(rows) == 99 and numbers[23] not in entries
    stale = [number for number in numbers[20:80] if entries.get(number) not in (None, f"changed {number}")]
    missing = [number for number in numbers[20:80] if number != numbers[23] and not entries.get(number)]
    assert (stale, missing) == ([], [])


def test_two_processes_make_a_new_tag_once(kanka, live):
    live.ok("sync", "kanka")
    kanka.proxy.fail("slow", where="POST .*/tags", times=2)

    def tagged(name: str) -> dict:
        return one(live, "create_entities", entities=[{"entity_type": "race", "name": name, "tags": ["shared"]}])

    with kanka.proxy.counted() as asked, ThreadPoolExecutor(2) as pool:
        rows = list(pool.map(tagged, ["One", "Other"]))
    assert all(row["success"] for row in rows), rows
    assert len([line for line in asked if line.startswith("POST") and line.endswith("/tags")]) == 1, asked


def test_what_is_not_copied_yet_is_read_and_written_all_the_same(kanka, live):
    numbers = kanka.make_many(1, [{"name": f"Person {n}"} for n in range(60)])
    kanka.proxy.fail("cut", where="characters.related=1&page=2")
    assert live.run("sync", "kanka").returncode == 1
    kanka.proxy.mend()
    with kanka.proxy.counted() as asked:
        assert one(live, "get_entities", entity_ids=[numbers[50]])["name"] == "Person 50"
    assert len(asked) == 1, asked
    assert one(live, "update_entities", updates=[{"entity_id": numbers[51], "name": "Early"}])["success"]
    assert one(live, "create_posts", posts=[{"entity_id": numbers[52], "name": "Early"}])["success"]
    assert one(live, "delete_entities", entity_ids=[numbers[53]])["success"]
    assert kanka.read(numbers[51])["name"] == "Early"
    kanka.proxy.fail("cut")
    row = one(live, "get_entities", entity_ids=[numbers[55]])
    assert not row["success"] and "copied from Kanka so far" in row["error"], row
    kanka.proxy.mend()
    live.ok("sync", "kanka")
    assert_whole(live, numbers[:53] + numbers[54:])


def test_what_kanka_keeps_is_changed_through_no_other_door(kanka, live):
    """Through other doors, a change is refused with the name of the tool that makes it on Kanka."""
    made = {name: kanka.make("characters", name=name, entry=f"<p>About {name}</p>") for name in
            ("Played", "Removed", "Merged", "Kept", "Gone")}
    live.ok("sync", "kanka")
    world = ["--world", f"Kanka campaign {kanka.number}", "--toolsets", "all"]

    def other(tool: str, **arguments) -> dict:
        done = live.run(*world, "call", tool, json.dumps(arguments))
        return {"code": done.returncode, "told": done.stdout + done.stderr,
                "answer": json.loads(done.stdout) if done.returncode == 0 else None}

    def refused(tool: str, with_tool: str, **arguments) -> None:
        done = other(tool, **arguments)
        assert "is kept on Kanka" in done["told"] and with_tool in done["told"], (tool, done)

    campaign = other("campaign_create", name="Table", gm_mode="HUMAN")["answer"]["id"]
    played = other("character_create", campaign_id=campaign, name="Played", kind="PC",
                   page_id=made["Played"]["entity_id"])["answer"]["id"]
    refused("character_update", "update_entities", character_id=played, name="Renamed")
    refused("kn_graph", "delete_entities", action="remove", node_id="Removed")
    kanka.http.delete(f"{kanka.base}/characters/{made['Gone']['id']}")
    live.ok("sync", "kanka")
    refused("kn_graph", "create_entities", action="restore", node_id="Gone")
    server = live.serve("--toolsets", "all", env={"KANKA_REFRESH": "0"})
    try:
        with server.client(authorization=f"Bearer {live.token('gm', 'Gale')}") as http:
            found = {name: json.loads(other("resolve_entity", label=name)["told"])["candidates"][0]["uri"]
                     for name in ("Merged", "Kept")}
            body = {"from_uri": found["Merged"], "into_uri": found["Kept"]}
            answer = http.post("/compat/koi/entity/merge", json=body)
            assert answer.status_code >= 400 and "is kept on Kanka" in answer.text, answer.text
            assert "delete_entities" in answer.text, answer.text
            own = http.post("/compat/koi/register-entity", json={"name": "Nobody's Page", "entity_type": "Person"})
            own = own.json()["canonical_uri"]
            answer = http.post("/compat/koi/entity/merge", json={"from_uri": found["Kept"], "into_uri": own})
            assert answer.status_code >= 400 and "with /entity/alias" in answer.text, answer.text
            answer = http.post("/compat/koi/entity/alias", json={"uri": found["Kept"], "alias": "Nobody's Page"})
            assert answer.status_code == 200, answer.text
    finally:
        server.kill()
    # What does not belong to Kanka is stored here and stays.
    assert other("kn_graph", action="add", name="Local", type="concept")["code"] == 0
    assert other("kn_graph", action="connect", source_id="Local", target_id="Kept", edge_type="knows")["code"] == 0
    kanka.change(made["Kept"]["entity_id"], entry="<p>changed there</p>")
    kanka.change(made["Played"]["entity_id"], entry="<p>changed there</p>")
    assert "changed here" not in live.ok("sync", "kanka")
    names = {row["name"] for row in call(live, "find_entities", entity_type="character")["entities"]}
    assert names == {"Played", "Removed", "Merged", "Kept", "Nobody's Page"}
    assert f"* Kanka campaign {kanka.number}" in live.ok("world", "list")
    [row] = call(live, "get_entities", entity_ids=[made["Played"]["entity_id"]])["results"]
    assert row["sheet"] and row["entry"] == "changed there"
    assert "Kept" in other("kn_intel", action="related", node_id="Local")["told"]
    # Without a connection to Kanka, nothing of Kanka's can be written.
    aside = Program(live.binary, live.home)
    for tool, arguments in (
        ("update_entities", {"updates": [{"entity_id": made["Kept"]["entity_id"], "name": "Mine"}]}),
        ("delete_entities", {"entity_ids": [made["Kept"]["entity_id"]]}),
        ("create_entities", {"entities": [{"entity_type": "note", "name": "Mine"}]}),
        ("create_posts", {"posts": [{"entity_id": made["Kept"]["entity_id"], "name": "Mine"}]}),
    ):
        told = aside.run(*world, "call", tool, json.dumps(arguments)).stdout
        assert '"success": false' in told and "KANKA_TOKEN" in told, told
