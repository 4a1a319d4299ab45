"""Import and export of memory on the command line."""

import json
import re
import shutil
import sqlite3

import pytest

from harness.program import Program, call

KAIRN = """
CREATE TABLE nodes (id TEXT PRIMARY KEY, namespace TEXT, type TEXT, name TEXT, description TEXT,
  properties JSON, tags JSON, created_at TEXT, deleted_at TEXT, embedding BLOB);
CREATE TABLE edges (source_id TEXT, target_id TEXT, type TEXT, weight REAL);
CREATE TABLE experiences (id TEXT PRIMARY KEY, type TEXT, content TEXT, context TEXT,
  confidence TEXT, tags JSON, created_at TEXT);
CREATE TABLE projects (id TEXT PRIMARY KEY, name TEXT, phase TEXT, goals JSON, active BOOLEAN,
  created_at TEXT);
CREATE TABLE progress (id TEXT PRIMARY KEY, project_id TEXT, type TEXT, action TEXT, result TEXT,
  next_step TEXT, created_at TEXT);
CREATE TABLE ideas (id TEXT PRIMARY KEY, title TEXT, status TEXT, category TEXT, score REAL,
  created_at TEXT);
"""
AT = "2026-01-02T03:04:05.678901+00:00"


def recalled(program, topic: str) -> list[dict]:
    return call(program, "kn_intel", action="recall", topic=topic)["results"]


def said(rows: list[dict]) -> list[str]:
    """Returns rows as sorted texts, without the fields that differ between worlds. Rows that only
    fill up a list have no fixed order."""
    strip = ("id", "superseded_by", "score", "relevance")
    return sorted(json.dumps({k: v for k, v in row.items() if k not in strip}) for row in rows)


def write_markdown(home):
    folder = home / "notes"
    (folder / "deep").mkdir(parents=True)
    (folder / "Rope.md").write_text("---\ntags: [hemp]\n---\n# Rope\nTarred with [[Tar]].\n")
    (folder / "deep" / "Tar.md").write_text("Boil the tar slowly. password=hunter22\n")
    (folder / "image.png").write_bytes(b"\x89PNG")
    return folder


def write_jsonl(home):
    file = home / "memory.jsonl"
    rows = [
        {"type": "entity", "name": "Rope", "entityType": "thing", "observations": ["Made of hemp"]},
        {"type": "entity", "name": "Tar", "entityType": "thing", "observations": ["Keeps rope dry"]},
        {"type": "relation", "from": "Tar", "to": "Rope", "relationType": "protects"},
    ]
    file.write_text("\n".join(map(json.dumps, rows)) + "\nbroken\n")
    return file


def write_chatgpt(home):
    def message(role, text, parent):
        content = {"author": {"role": role}, "content": {"parts": [text]}, "create_time": 1.7e9}
        return {"parent": parent, "message": content}

    file = home / "conversations.json"
    mapping = {"a": message("user", "How do I treat rope?", None),
               "b": message("assistant", "Tar it while warm.", "a")}
    file.write_text(json.dumps([{"id": "c1", "title": "Rope care", "create_time": 1.7e9,
                                 "current_node": "b", "mapping": mapping}]))
    return file


def write_claude_code(home):
    folder = home / "projects" / "-ship"
    folder.mkdir(parents=True)
    rows = [
        {"type": "user", "message": {"content": "Mend the rope"}, "timestamp": "2026-01-02T03:04:05Z"},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "Spliced the rope."}]}},
    ]
    (folder / "s1.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return home / "projects"


def write_kairn(home):
    folder = home / "kairn"
    folder.mkdir()
    db = sqlite3.connect(folder / "kairn.db")
    db.executescript(KAIRN)
    db.execute("INSERT INTO nodes VALUES ('n1','knowledge','learned_gotcha','Gotcha: rope','Old rope "
               "snaps',NULL,'[\"sea\"]',?,NULL,x'00')", [AT])
    db.execute("INSERT INTO nodes VALUES ('n2','knowledge','tool','Marlinspike',NULL,NULL,NULL,?,NULL,"
               "NULL)", [AT])
    db.execute("INSERT INTO edges VALUES ('n2','n1','helps_with',0.5)")
    db.execute("INSERT INTO experiences VALUES ('e1','gotcha','Old rope snaps','agreed with Katarina','high',NULL,?)", [AT])
    db.execute("INSERT INTO experiences VALUES ('e2','workaround','Knot the rope twice','storm','low',"
               "NULL,?)", [AT])
    db.execute("INSERT INTO projects VALUES ('p1','Rigging','active','[\"New rope\"]',1,?)", [AT])
    db.execute("INSERT INTO progress VALUES ('g1','p1','progress','Spliced the main rope',NULL,'Oil it',?)",
               [AT])
    db.execute("INSERT INTO ideas VALUES ('i1','Steel rope','evaluating','gear',4.5,?)", [AT])
    db.commit()
    db.close()
    return folder


SOURCES = {
    "markdown": (write_markdown, 2),
    "jsonl": (write_jsonl, 2),
    "chatgpt": (write_chatgpt, 1),
    "claude-code": (write_claude_code, 1),
    "kairn": (write_kairn, 6),
}


@pytest.mark.parametrize("name", SOURCES)
def test_importing_twice_makes_nothing_twice(program, name):
    """Imported content is recalled. A second import finds all of it known and does not bring back
    what was removed."""
    write, count = SOURCES[name]
    program.home.mkdir(exist_ok=True)
    path = str(write(program.home))
    first = program.ok("import", "memory", name, path)
    assert first.startswith(f"imported {count} new, 0 known already"), first
    rows = recalled(program, "rope")
    assert rows
    call(program, "kn_graph", action="remove", node_id=rows[0]["id"])
    second = program.ok("import", "memory", name, path)
    assert second.startswith(f"imported 0 new, {count} known already"), second
    assert rows[0]["id"] not in {row["id"] for row in recalled(program, "rope")}


def test_notes_are_linked_and_their_secrets_masked(program):
    """[[links]] become edges; a password in a note is masked."""
    out = program.ok("import", "memory", "markdown", str(write_markdown(program.home)))
    assert "1 links (0 lead nowhere), 1 secrets masked" in out
    near = call(program, "kn_intel", action="related", node_id="Rope")
    assert near["results"][0]["node"]["name"] == "Tar"
    assert b"hunter22" not in program.store.read_bytes()


def test_broken_lines_are_counted(program):
    """A broken line does not affect the others."""
    out = program.ok("import", "memory", "jsonl", str(write_jsonl(program.home)))
    assert "1 entries could not be read" in out


def test_conversations_keep_who_said_what_when(program):
    """A conversation is one node that keeps the author and time of each message."""
    program.ok("import", "memory", "chatgpt", str(write_chatgpt(program.home)))
    row = recalled(program, "when is rope tarred?")[0]
    assert (row["type"], row["name"], row["session"]) == ("conversation", "Rope care", "c1")
    assert row["author"] in ("user", "assistant") and row["occurred_at"].startswith("2023-11-14")


def test_a_kairn_workspace_comes_over_whole(program):
    """Imports graph, ages, projects with their logs, and ideas. A fact that was stored twice is
    recalled once."""
    program.ok("import", "memory", "kairn", str(write_kairn(program.home)))
    status = call(program, "kn_graph", action="status")
    assert (status["nodes"], status["experiences"], status["projects"], status["ideas"]) == (2, 2, 1, 1)
    rows = recalled(program, "old rope snaps")
    assert len([row for row in rows if "snaps" in str(row)]) == 1
    found = call(program, "kn_experience", action="search", text="knot")["experiences"][0]
    assert found["relevance"] < 1.0, "it has its age"
    [project] = call(program, "kn_project", action="list")["projects"]
    assert (project["phase"], project["active"]) == ("active", True)
    [idea] = call(program, "kn_idea", action="list")["ideas"]
    assert (idea["status"], idea["score"]) == ("evaluating", 4.5)
    assert "Spliced the main rope" in str(recalled(program, "splicing"))
    twins = call(program, "kn_experience", action="search", text="old rope snaps")["experiences"]
    assert [one["content"] for one in twins].count("Old rope snaps") == 1
    assert "snaps" in str(recalled(program, "Katarina")[0])
    call(program, "kn_graph", action="remove", node_id="Gotcha: rope")
    assert call(program, "kn_graph", action="status")["experiences"] == 1, "both halves go"


def test_what_kairn_promoted_is_recalled(program):
    folder = write_kairn(program.home)
    with sqlite3.connect(folder / "kairn.db") as db:
        db.execute("ALTER TABLE experiences ADD COLUMN promoted_to_node_id TEXT")
        db.execute("INSERT INTO nodes VALUES ('n3','knowledge','promoted_experience','Drain it','Drain the "
                   "compressor first',NULL,NULL,?,NULL,NULL)", [AT])
        db.execute("INSERT INTO experiences VALUES ('e3','solution','Drain the compressor first','accident in "
                   "hall seven','high','[\"yard\"]',?,'n3')", [AT])
    program.ok("import", "memory", "kairn", str(folder))
    [row] = [row for row in recalled(program, "drain the compressor") if "compressor" in str(row)]
    assert row["relevance"] == 1.0, "it does not fade any more"
    assert "compressor" in str(recalled(program, "accident in hall seven")[0])


def test_what_else_kairn_knows_comes_over(program, tmp_path):
    """Imports the properties of nodes and edges, without secrets, and until when an experience was
    valid."""
    folder = write_kairn(program.home)
    with sqlite3.connect(folder / "kairn.db") as db:
        db.execute("ALTER TABLE edges ADD COLUMN properties JSON")
        db.execute("ALTER TABLE experiences ADD COLUMN valid_to TEXT")
        db.execute("UPDATE nodes SET properties = ? WHERE id = 'n2'",
                   [json.dumps({"length": 40, "password": "hunter22x"})])
        db.execute("UPDATE edges SET properties = ?", [json.dumps({"reason": "it opens strands"})])
        db.execute("UPDATE experiences SET valid_to = '2026-02-01T00:00:00+00:00' WHERE id = 'e2'")
    program.ok("import", "memory", "kairn", str(folder))
    [spike] = call(program, "kn_graph", action="query", text="Marlinspike", detail="full", limit=1)["nodes"]
    assert (spike["properties"]["length"], spike["properties"]["password"]) == (40, "[masked password]")
    lines = tmp_path / "out.jsonl"
    program.ok("export", "memory", "jsonl", str(lines))
    assert "it opens strands" in lines.read_text()
    found = call(program, "kn_experience", action="search", text="knot")["experiences"][0]
    assert found["valid_to"] == "2026-02-01T00:00:00Z"


def test_what_is_exported_can_be_imported(program, tmp_path):
    """JSON lines reproduce the graph in another world; Markdown notes contain every text."""
    program.ok("import", "memory", "kairn", str(write_kairn(program.home)))
    lines, notes = tmp_path / "out.jsonl", tmp_path / "out"
    assert "exported 6 things" in program.ok("export", "memory", "jsonl", str(lines))
    rows = [json.loads(line) for line in lines.read_text().splitlines()]
    assert {row["type"] for row in rows} == {"entity", "relation"}
    program.ok("export", "memory", "markdown", str(notes))
    assert "Knot the rope twice" in "".join(file.read_text() for file in notes.iterdir())
    program.ok("world", "create", "Copy", "--use")
    assert program.ok("import", "memory", "jsonl", str(lines)).startswith("imported 6 new")
    near = call(program, "kn_intel", action="related", node_id="Marlinspike")
    assert near["results"][0]["path"][0]["type"] == "helps_with"
    found = call(program, "kn_experience", action="search", text="knot")["experiences"][0]
    assert (found["type"], found["confidence"]) == ("workaround", "low") and found["relevance"] < 1.0


def test_a_source_that_is_none_is_told(program):
    """The command fails with an error and does not panic."""
    broken = program.home / "x.json"
    broken.write_text("{")
    for source, path in [("chatgpt", broken), ("kairn", broken), ("jsonl", program.home / "absent")]:
        done = program.run("import", "memory", source, str(path))
        assert done.returncode != 0 and "panicked" not in done.stderr, done


def test_what_grew_or_changed_is_brought_up_to_date(program):
    """New messages and changed notes are imported; the rest is known already."""
    chats = write_claude_code(program.home)
    program.ok("import", "memory", "claude-code", str(chats))
    more = {"type": "user", "message": {"content": "The marmalade gasket leaks"}}
    with (chats / "-ship" / "s1.jsonl").open("a") as file:
        file.write("\n" + json.dumps(more))
    out = program.ok("import", "memory", "claude-code", str(chats))
    assert out.startswith("imported 0 new, 0 known already, 1 brought up to date"), out
    assert "marmalade gasket" in recalled(program, "marmalade")[0]["description"]

    notes = write_markdown(program.home)
    program.ok("import", "memory", "markdown", str(notes))
    (notes / "deep" / "Tar.md").write_text("Giraffes eat no tar.\n")
    out = program.ok("import", "memory", "markdown", str(notes))
    assert out.startswith("imported 0 new, 1 known already, 1 brought up to date"), out
    assert "Giraffes" in recalled(program, "giraffes")[0]["description"]
    assert "Boil the tar" not in str(recalled(program, "boil slowly"))


def test_one_source_by_many_ways_is_one(program, tmp_path):
    """Folder or file, link or copy, and an export of the same world."""
    folder = write_kairn(program.home)
    assert program.ok("import", "memory", "kairn", str(folder)).startswith("imported 6 new")
    for path in [folder / "kairn.db", shutil.copytree(folder, tmp_path / "elsewhere")]:
        assert "imported 0 new, 6 known" in program.ok("import", "memory", "kairn", str(path))
    notes = write_markdown(program.home)
    assert program.ok("import", "memory", "markdown", str(notes)).startswith("imported 2 new")
    (tmp_path / "link").symlink_to(notes)
    for path in [tmp_path / "link", shutil.copytree(notes, tmp_path / "copy")]:
        assert "imported 0 new, 2 known" in program.ok("import", "memory", "markdown", str(path))
    lines = tmp_path / "out.jsonl"
    program.ok("export", "memory", "jsonl", str(lines))
    assert "imported 0 new, 8 known" in program.ok("import", "memory", "jsonl", str(lines))


def test_a_round_trip_loses_nothing(program, tmp_path):
    """Authors and times, logs, contexts, visibility, both halves of a fact, and what was superseded
    survive the export as JSON lines."""
    old = call(program, "kn_intel", action="learn", content="HQ is in Bonn", type="decision")
    call(program, "kn_intel", action="learn", content="HQ is in Berlin", type="decision",
         supersedes=old["node_id"], session="board", author="Ann", occurred_at="2024-01-02")
    call(program, "kn_experience", action="save", content="The lynx bites", type="gotcha",
         context="at night", visibility="private")
    call(program, "kn_project", action="create", name="Keel")
    call(program, "kn_project", action="log", project_id="Keel", action_text="laid it",
         next_step="caulk it")
    lines = tmp_path / "out.jsonl"
    program.ok("export", "memory", "jsonl", str(lines))
    before = [recalled(program, topic) for topic in ("HQ", "lynx", "laid")]
    program.ok("world", "create", "Copy", "--use")
    program.ok("import", "memory", "jsonl", str(lines))
    after = [recalled(program, topic) for topic in ("HQ", "lynx", "laid")]
    strip = ("id", "superseded_by", "score", "relevance")
    plain = [[{k: v for k, v in row.items() if k not in strip} for row in rows] for rows in before]
    assert plain == [[{k: v for k, v in row.items() if k not in strip} for row in rows]
                     for rows in after]
    assert after[0][1]["superseded_by"] == after[0][0]["id"]
    found = call(program, "kn_intel", action="context", keywords="lynx", detail="full")
    assert found["experiences"][0]["context"] == "at night"
    call(program, "kn_graph", action="remove", node_id=after[0][0]["id"])
    assert "Berlin" not in str(call(program, "kn_experience", action="search", text="Berlin"))


def test_notes_go_by_what_they_are_and_stale_ones_go(program, tmp_path):
    """Links lead to files, phases and statuses are in the notes, and the notes of removed nodes
    leave the folder."""
    program.ok("import", "memory", "kairn", str(write_kairn(program.home)))
    notes = tmp_path / "notes"
    program.ok("export", "memory", "markdown", str(notes))
    (notes / "mine.md").write_text("my own")
    spike = next(file for file in notes.iterdir() if file.name.startswith("Marlinspike"))
    [link] = [line for line in spike.read_text().splitlines() if "[[" in line]
    assert (notes / (link.split("[[")[1].split("|")[0] + ".md")).exists(), link
    pages = "".join(file.read_text() for file in notes.iterdir())
    assert "phase: active" in pages and "status: evaluating" in pages
    call(program, "kn_graph", action="remove", node_id="Marlinspike")
    program.ok("export", "memory", "markdown", str(notes))
    assert not spike.exists() and (notes / "mine.md").exists()


def test_each_turn_of_a_conversation_is_a_row(program):
    """Each matching message is a row with its author."""
    program.ok("import", "memory", "claude-code", str(write_claude_code(program.home)))
    rows = recalled(program, "rope")
    assert sorted(row["author"] for row in rows) == ["assistant", "user"]


def test_notes_come_back_as_what_they_were(program, tmp_path):
    """Type, confidence, age, visibility, logs and what was superseded survive the export as notes,
    and nothing is imported twice."""
    old = call(program, "kn_intel", action="learn", content="HQ is in Bonn", type="decision")
    call(program, "kn_intel", action="learn", content="HQ is in Berlin\n\n<!-- lorewell links -->", type="decision",
         supersedes=old["node_id"], session="board", author="Ann", occurred_at="2024-01-02")
    call(program, "kn_experience", action="save", content="The lynx bites", type="pattern",
         confidence="low", context="at night", tags=["teeth, long"], visibility="private")
    call(program, "kn_graph", action="add", name="Lair: the old one", type="живёт в",
         description="A [[lynx]] sleeps here", visibility="private")
    call(program, "kn_project", action="create", name="Keel", goals=["afloat"])
    call(program, "kn_project", action="update", project_id="Keel", name="Keel", phase="active")
    call(program, "kn_project", action="log", project_id="Keel", action_text="laid it -->",
         next_step="caulk it")
    topics = ("HQ", "lynx", "laid", "lair")
    before = [recalled(program, topic) for topic in topics]
    status = call(program, "kn_graph", action="status")
    notes = tmp_path / "notes"
    program.ok("export", "memory", "markdown", str(notes))

    program.ok("import", "memory", "markdown", str(notes))
    again = call(program, "kn_graph", action="status")
    assert (again["edges"], again["nodes"]) == (status["edges"], status["nodes"])

    program.ok("world", "create", "Copy", "--use")
    program.ok("import", "memory", "markdown", str(notes))
    after = [recalled(program, topic) for topic in topics]
    for mine, theirs in zip(before, after):
        assert said(mine) == said(theirs)
    assert after[0][1]["superseded_by"] == after[0][0]["id"]
    copy = call(program, "kn_graph", action="status")
    assert (copy["edges"], copy["nodes"]) == (status["edges"], status["nodes"])
    [lynx] = call(program, "kn_experience", action="search", tags=["teeth, long"])["experiences"]
    assert (lynx["type"], lynx["confidence"]) == ("pattern", "low")
    [lair] = call(program, "kn_graph", action="query", node_type="живёт в", detail="full")["nodes"]
    assert (lair["name"], lair["visibility"]) == ("Lair: the old one", "private")
    assert lair["description"] == "A [[lynx]] sleeps here"
    [project] = call(program, "kn_project", action="list")["projects"]
    assert project["phase"] == "active"
    assert "caulk it" in str(recalled(program, "laid"))
    out = program.ok("import", "memory", "markdown", str(notes))
    assert out.startswith("imported 0 new"), out


def test_links_follow_the_notes(program):
    """A link that is removed from a note is no longer an edge."""
    notes = write_markdown(program.home)
    program.ok("import", "memory", "markdown", str(notes))
    (notes / "Rope.md").write_text("# Rope\nTarred.\n")
    program.ok("import", "memory", "markdown", str(notes))
    assert call(program, "kn_intel", action="related", node_id="Rope", edge_type="links_to")["count"] == 0


def test_what_is_too_long_for_one_text_is_kept_in_parts(program):
    """A very long entry, a very long tag or an invalid byte does not affect the other entries."""
    log = "trace of the pump\n" * 12_000
    rows = [{"type": "entity", "name": f"Thing {n}", "entityType": "thing", "observations": [f"fact {n}"]}
            for n in range(20)]
    rows.insert(3, {"type": "entity", "name": "Long", "entityType": "thing",
                    "observations": [log + "the golden pangolin hides here"], "tags": ["x" * 300]})
    file = program.home / "memory.jsonl"
    text = "\ufeff" + "\n".join(map(json.dumps, rows))
    file.write_bytes(text.encode() + b'\n{"type":"entity","name":"Odd \xff","entityType":"t"}\n')
    out = program.ok("import", "memory", "jsonl", str(file))
    assert out.startswith("imported 22 new") and "could not be read" not in out
    best = recalled(program, "golden pangolin")[0]
    assert best["name"] == "Long" and "pangolin" in best["description"] and best["truncated"]


def test_an_older_copy_of_a_conversation_takes_nothing_away(program):
    chats = write_claude_code(program.home)
    file = chats / "-ship" / "s1.jsonl"
    old = file.read_text().splitlines()[0]
    program.ok("import", "memory", "claude-code", str(chats))
    file.write_text(old)
    assert "imported 0 new, 1 known" in program.ok("import", "memory", "claude-code", str(chats))
    assert "Spliced" in str(recalled(program, "spliced"))


def test_one_project_at_most_comes_in_active(program):
    """The active project stays active, and an imported project keeps the phase that it was given
    here."""
    mine = call(program, "kn_project", action="create", name="Mine")["id"]
    call(program, "kn_project", action="list", set_active=mine)
    folder = write_kairn(program.home)
    program.ok("import", "memory", "kairn", str(folder))
    call(program, "kn_project", action="update", project_id="Rigging", name="Rigging", phase="paused")
    with sqlite3.connect(folder / "kairn.db") as db:
        db.execute("UPDATE projects SET goals = '[\"Other rope\"]'")
    program.ok("import", "memory", "kairn", str(folder))
    projects = {one["name"]: one for one in call(program, "kn_project", action="list")["projects"]}
    assert (projects["Rigging"]["phase"], projects["Rigging"]["active"]) == ("paused", False)
    assert projects["Mine"]["active"]


def test_a_note_that_is_called_otherwise_is_the_same_note(program):
    notes = write_markdown(program.home)
    program.ok("import", "memory", "markdown", str(notes))
    (notes / "deep" / "Tar.md").write_text("Boil the tar slowly.\n")
    program.ok("import", "memory", "markdown", str(notes))
    (notes / "deep" / "Tar.md").rename(notes / "Pitch.md")
    (notes / "Rope.md").write_text("# Rope\nTarred with [[Pitch]].\n")
    out = program.ok("import", "memory", "markdown", str(notes))
    assert out.startswith("imported 0 new, 0 known already, 2 brought up to date"), out
    near = call(program, "kn_intel", action="related", node_id="Rope")
    assert [one["node"]["name"] for one in near["results"]] == ["Pitch"]
    out = program.ok("import", "memory", "markdown", str(notes))
    assert out.startswith("imported 0 new, 2 known already, 0 brought"), out


def test_sources_that_are_called_alike_leave_each_other_alone(program, tmp_path):
    """Two memory files with an entity of the same name, and two folders of the same name."""
    said = {"work": ["Works at the harbour office"], "home": ["Has a dog called Biscuit"]}
    notes = {"work": "Renew the crane licence before June.", "home": "Buy paint for the bathroom."}
    for place in said:
        (tmp_path / place / "notes").mkdir(parents=True)
        entity = {"type": "entity", "name": "default_user", "entityType": "person", "observations": said[place]}
        (tmp_path / place / "memory.jsonl").write_text(json.dumps(entity))
        (tmp_path / place / "notes" / "todo.md").write_text(notes[place])
    for wanted in ["imported 1 new", "imported 0 new, 1 known already"]:
        for place in said:
            for source, path in [("jsonl", "memory.jsonl"), ("markdown", "notes")]:
                out = program.ok("import", "memory", source, str(tmp_path / place / path))
                assert out.startswith(wanted), (place, source, out)
    for text in [*said["work"], *said["home"], *notes.values()]:
        assert recalled(program, text)[0]["description"] == text
    (tmp_path / "home" / "notes" / "todo.md").write_text("Buy wallpaper instead.")
    out = program.ok("import", "memory", "markdown", str(tmp_path / "home" / "notes"))
    assert "1 brought up to date" in out, out
    assert recalled(program, notes["work"])[0]["description"] == notes["work"]
    assert recalled(program, "wallpaper")[0]["description"] == "Buy wallpaper instead."


def test_long_names_come_back_whole(program, tmp_path):
    name = ("Lighthouse of the northern reach " * 7)[:200].strip()
    call(program, "kn_graph", action="add", name=name, type="concept")
    lines = tmp_path / "out.jsonl"
    program.ok("export", "memory", "jsonl", str(lines))
    other = Program(program.binary, tmp_path / "other")
    other.home.mkdir()
    other.ok("import", "memory", "jsonl", str(lines))
    assert [node["name"] for node in call(other, "kn_graph", action="query")["nodes"]] == [name]


def test_what_travels_in_another_form_is_the_same(program, tmp_path):
    """Imported as JSON lines first and as notes later, from different folders, with changes in
    between."""
    call(program, "kn_graph", action="add", name="Rope", type="thing", description="Hemp.")
    call(program, "kn_graph", action="add", name="Tar", type="thing", description="Black.")
    call(program, "kn_graph", action="connect", source_id="Tar", target_id="Rope", edge_type="protects")
    lines, notes, renamed = tmp_path / "out.jsonl", tmp_path / "notes", tmp_path / "renamed"
    program.ok("export", "memory", "jsonl", str(lines))
    program.ok("export", "memory", "markdown", str(notes))
    other = Program(program.binary, tmp_path / "other")
    other.home.mkdir()
    other.ok("import", "memory", "jsonl", str(lines))
    for text in ("Hemp, forty fathoms.", "Hemp, fifty fathoms."):
        [note] = [note for note in notes.iterdir() if note.name.startswith("Rope")]
        note.write_text(re.sub(r"Hemp.*", text, note.read_text()))
        out = other.ok("import", "memory", "markdown", str(notes))
        assert out.startswith("imported 0 new, 1 known already, 1 brought up to date"), out
        found = call(other, "kn_graph", action="query", detail="full")["nodes"]
        assert sorted(node["name"] for node in found) == ["Rope", "Tar"]
        assert [node["description"] for node in found if node["name"] == "Rope"] == [text]
        assert call(other, "kn_graph", action="status")["edges"] == 1
        notes = notes.rename(renamed)
    other.ok("export", "memory", "markdown", str(tmp_path / "back"))
    out = program.ok("import", "memory", "markdown", str(tmp_path / "back"))
    assert out.startswith("imported 0 new"), out
