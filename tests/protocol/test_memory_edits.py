"""Exports of memory that are edited by hand and imported into the world they came from."""

import json
import os
import shutil
import time
from pathlib import Path

import pytest

from harness.program import call

FRESH = "imported 0 new"


def node(program, name: str) -> dict:
    found = call(program, "kn_graph", action="query", text=name, detail="full")["nodes"]
    return next(one for one in found if one["name"] == name)


def near(program, name: str) -> set:
    found = call(program, "kn_intel", action="related", node_id=name)["results"]
    hops = [(one["path"][0], one["node"]["name"]) for one in found]
    return {(edge["type"], end) for hop, end in hops for edge in [hop, *hop.get("also", [])]}


class Notes:
    """An export as Markdown notes that somebody edits."""

    def __init__(self, program, path: Path):
        self.program, self.path = program, path
        self.export()

    def export(self) -> str:
        return self.program.ok("export", "memory", "markdown", str(self.path))

    def take(self) -> str:
        return self.program.ok("import", "memory", "markdown", str(self.path))

    def note(self, start: str) -> Path:
        [note] = [one for one in self.path.iterdir() if one.name.startswith(start)]
        return note

    def edit(self, start: str, old: str, new: str):
        note = self.note(start)
        text = note.read_text()
        assert old in text, text
        note.write_text(text.replace(old, new))


class Lines:
    """An export as JSON lines."""

    def __init__(self, program, path: Path):
        self.program, self.path = program, path
        self.export()

    def export(self) -> str:
        return self.program.ok("export", "memory", "jsonl", str(self.path))

    def take(self) -> str:
        return self.program.ok("import", "memory", "jsonl", str(self.path))

    def edit(self, start: str, change):
        rows = [json.loads(line) for line in self.path.read_text().splitlines()]
        for row in rows:
            if row["type"] == "entity" and row["name"].startswith(start):
                change(row)
        self.path.write_text("\n".join(map(json.dumps, rows)))


def keep(program) -> None:
    call(program, "kn_graph", action="add", name="Keep", type="t", description="k is a castle",
         tags=["stone", "old"])
    call(program, "kn_graph", action="add", name="Mill", type="t", description="m turns")
    call(program, "kn_graph", action="connect", source_id="Mill", target_id="Keep", edge_type="feeds")


def test_every_part_of_a_note_can_be_changed_by_hand(program, tmp_path):
    keep(program)
    notes = Notes(program, tmp_path / "md")
    assert notes.take().startswith(f"{FRESH}, 2 known already, 0 brought up to date")
    notes.edit("Keep", "k is a castle", "k is a castle of marmalade")
    notes.edit("Keep", 'tags: ["old","stone"]', "tags: [stone, ruined]\naliases: The Rock")
    notes.edit("Keep", "# Keep", "# Old Keep")
    out = notes.take()
    assert out.startswith(f"{FRESH}, 1 known already, 1 brought up to date"), out
    kept = node(program, "Old Keep")
    assert kept["description"] == "k is a castle of marmalade"
    assert kept["tags"] == ["ruined", "stone"]
    assert node(program, "Mill")["description"] == "m turns"
    assert call(program, "kn_graph", action="query", text="The Rock")["nodes"][0]["name"] == "Old Keep"
    assert notes.take().startswith(f"{FRESH}, 2 known already"), "once"
    assert "by hand" not in notes.export()
    assert "marmalade" in notes.note("Old Keep").read_text()
    assert len(list(notes.path.iterdir())) == 2, "under its new name alone"
    assert notes.take().startswith(f"{FRESH}, 2 known already")


def test_edits_after_edits_are_taken_and_what_is_taken_out_goes(program, tmp_path):
    keep(program)
    notes = Notes(program, tmp_path / "md")
    note = notes.note("Mill")
    for said in ["It grinds rye.", "It grinds oats.", "It grinds nothing."]:
        text = note.read_text().split("\n\nBy hand: ")[0]
        note.write_text(f"{text.rstrip()}\n\nBy hand: {said}\n")
        assert "1 brought up to date" in notes.take()
        assert node(program, "Mill")["description"].count("By hand") == 1
        assert said in node(program, "Mill")["description"]
    note.write_text(note.read_text().split("\n\nBy hand: ")[0] + "\n")
    notes.edit("Mill", "m turns", "")
    assert "1 brought up to date" in notes.take()
    assert not node(program, "Mill")["description"]


def test_links_are_made_and_taken_out_by_hand(program, tmp_path):
    keep(program)
    notes = Notes(program, tmp_path / "md")
    keep_note = notes.note("Keep")
    keep_note.write_text(keep_note.read_text() + "\n## Links\n\n- guards [[Mill]]\n")
    notes.take()
    assert ("guards", "Mill") in near(program, "Keep")
    assert node(program, "Keep")["description"] == "k is a castle"
    call(program, "kn_graph", action="remove", source_id="Keep", target_id="Mill", edge_type="guards")
    notes.take()
    assert ("guards", "Mill") not in near(program, "Keep"), "what was removed here stays removed"
    mill = notes.note("Mill")
    lines = [line for line in mill.read_text().splitlines() if "feeds" not in line]
    mill.write_text("\n".join(lines))
    notes.take()
    assert near(program, "Mill") == set()


def test_an_unchanged_export_brings_back_nothing(program, tmp_path):
    keep(program)
    notes, lines = Notes(program, tmp_path / "md"), Lines(program, tmp_path / "out.jsonl")
    notes.edit("Keep", "k is a castle", "k is a castle of marmalade")
    notes.take()
    call(program, "kn_graph", action="remove", source_id="Mill", target_id="Keep", edge_type="feeds")
    assert lines.take().startswith(f"{FRESH}, 2 known already, 0 brought up to date")
    assert "marmalade" in node(program, "Keep")["description"]
    assert near(program, "Mill") == set()


def test_where_both_changed_the_newer_is_kept_and_it_is_told(program, tmp_path):
    keep(program)
    notes, older = Notes(program, tmp_path / "md"), Notes(program, tmp_path / "older")
    older.edit("Keep", "k is a castle", "k is a castle of cheese")
    notes.edit("Keep", "k is a castle", "k is a castle of marmalade")
    notes.take()
    os.utime(older.note("Keep"), (time.time() - 3600,) * 2)
    older.edit("Mill", "m turns", "m turns fast")
    out = older.take()
    assert "1 were changed here and there since they were exported, and the newer is kept: Keep" in out
    assert "marmalade" in node(program, "Keep")["description"]
    assert node(program, "Mill")["description"] == "m turns fast"
    out = older.export()
    assert "1 notes were changed by hand and are left as they are: Keep" in out
    assert "cheese" in older.note("Keep").read_text()
    os.utime(older.note("Keep"), (time.time() + 60,) * 2)
    assert "the newer is kept: Keep" in older.take()
    assert "cheese" in node(program, "Keep")["description"]


def test_parts_that_were_changed_on_either_side_are_both_kept(program, tmp_path):
    keep(program)
    notes, other = Notes(program, tmp_path / "md"), Notes(program, tmp_path / "other")
    notes.edit("Keep", "k is a castle", "k is a castle of marmalade")
    other.edit("Keep", '"old","stone"', '"old","stone","wet"')
    other.edit("Keep", "title: Keep", "title: Donjon")
    notes.take()
    assert "changed here and there" not in other.take()
    kept = node(program, "Donjon")
    assert (kept["description"], kept["tags"]) == ("k is a castle of marmalade", ["old", "stone", "wet"])


def test_what_is_changed_back_by_hand_is_changed_back(program, tmp_path):
    """An old export, or a copy of it, does not change it back."""
    keep(program)
    notes = Notes(program, tmp_path / "md")
    shutil.copytree(notes.path, tmp_path / "copy")
    notes.edit("Keep", "k is a castle", "k is a castle of marmalade")
    notes.take()
    program.ok("import", "memory", "markdown", str(tmp_path / "copy"))
    assert "marmalade" in node(program, "Keep")["description"]
    time.sleep(0.05)
    notes.edit("Keep", "k is a castle of marmalade", "k is a castle")
    assert "1 brought up to date" in notes.take()
    assert node(program, "Keep")["description"] == "k is a castle"


def test_lines_are_changed_by_hand_as_notes_are(program, tmp_path):
    keep(program)
    lines = Lines(program, tmp_path / "out.jsonl")

    def change(row):
        row["observations"] = ["k is a castle of marmalade", "It has a moat."]
        row["tags"].append("wet")
        row["aliases"] = ["The Rock"]

    lines.edit("Keep", change)
    assert lines.take().startswith(f"{FRESH}, 1 known already, 1 brought up to date")
    kept = node(program, "Keep")
    assert "marmalade" in kept["description"] and "moat" in kept["description"]
    assert kept["tags"] == ["old", "stone", "wet"]
    assert lines.take().startswith(f"{FRESH}, 2 known already")
    lines.edit("Keep", lambda row: row["observations"].pop(0))
    lines.take()
    assert node(program, "Keep")["description"] == "It has a moat."
    rows = [line for line in lines.path.read_text().splitlines() if '"relation"' not in line]
    lines.path.write_text("\n".join(rows))
    lines.take()
    assert near(program, "Mill") == {("feeds", "Keep")}, "lines of things say nothing of links"


def test_facts_projects_and_pages_are_changed_by_hand(program, tmp_path):
    call(program, "kn_intel", action="learn", content="HQ is in Bonn", type="decision")
    call(program, "kn_experience", action="save", content="The lynx bites", type="gotcha", confidence="low")
    call(program, "kn_project", action="create", name="Keel", goals=["afloat"])
    call(program, "create_entities", entities=[
        {"name": "Ann", "entity_type": "character", "entry": "Sails."}])
    notes = Notes(program, tmp_path / "md")
    fact = next(one for one in notes.path.iterdir() if "learned_decision" in one.read_text())
    fact.write_text(fact.read_text().replace("HQ is in Bonn", "HQ is in Berlin"))
    notes.edit("Gotcha", "The lynx bites", "The lynx bites hard")
    notes.edit("Keel", '["afloat"]', '["afloat","dry"]')
    notes.edit("Ann", "Sails.", "Sails at dawn.")
    out = notes.take()
    assert "4 brought up to date" in out, out
    recalled = call(program, "kn_intel", action="recall", topic="HQ")["results"]
    assert "Berlin" in str(recalled) and "Bonn" not in str(recalled)
    found = call(program, "kn_experience", action="search", text="HQ")["experiences"]
    assert [one["content"] for one in found] == ["HQ is in Berlin"], "both halves"
    assert "bites hard" in str(call(program, "kn_experience", action="search", text="lynx"))
    notes.export()
    assert '["afloat","dry"]' in notes.note("Keel").read_text()
    assert "at dawn" in str(call(program, "kn_intel", action="recall", topic="Ann"))


def test_what_was_removed_here_stays_so_however_it_comes(program, tmp_path):
    """That includes an edited note of a removed node, and notes in a folder that was copied or
    renamed."""
    keep(program)
    notes = Notes(program, tmp_path / "md")
    notes.edit("Keep", "title: Keep", "title: Donjon")
    call(program, "kn_graph", action="remove", node_id="Keep")
    out = notes.take()
    assert out.startswith(FRESH) and "changed here and there" in out, out
    folder = tmp_path / "nt"
    folder.mkdir()
    for number in range(4):
        (folder / f"Note {number}.md").write_text(f"Rope number {number} hangs there.")
    program.ok("import", "memory", "markdown", str(folder))
    call(program, "kn_graph", action="remove", node_id="Note 3")
    for place in [shutil.copytree(folder, tmp_path / "copied"), folder.rename(tmp_path / "moved")]:
        assert program.ok("import", "memory", "markdown", str(place)).startswith(FRESH)
    names = {one["name"] for one in call(program, "kn_graph", action="query", limit=50)["nodes"]}
    assert "Note 3" not in names and "Note 2" in names


@pytest.mark.parametrize("other", ["mine.txt", "etc/hosts"])
def test_notes_are_not_strewn_among_other_things(program, tmp_path, other):
    keep(program)
    folder = tmp_path / "other"
    (folder / other).parent.mkdir(parents=True)
    (folder / other).write_text("mine")
    done = program.run("export", "memory", "markdown", str(folder))
    assert done.returncode != 0 and "holds other things" in done.stderr, done
    assert [path for path in folder.rglob("*") if path.is_file()] == [folder / other]
    program.ok("export", "memory", "markdown", str(folder), "--force")
    assert "exported 2" in program.ok("export", "memory", "markdown", str(folder))
