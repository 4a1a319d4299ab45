"""`lorewell demo`: the sample world, and the commands that it suggests."""

import json
import re
import stat

import pytest

from harness.program import Program


@pytest.fixture(scope="module")
def demo(binary, tmp_path_factory):
    """The program with the sample world, and what creating it printed."""
    program = Program(binary, tmp_path_factory.mktemp("demo"))
    return program, program.ok("demo")


def call(program, tool, **arguments):
    return json.loads(program.ok("--toolsets", "all", "call", tool, json.dumps(arguments)))


def test_its_data_are_nobody_elses_business(demo):
    """The folders are private even if this is the first command ever run."""
    program, printed = demo
    assert str(program.data / "demo-vault") in printed
    for folder in (program.data, program.data / "demo-vault", program.data / "demo-code"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_what_it_says_to_try_works(demo):
    """Every call that it prints succeeds as printed."""
    program, printed = demo
    assert printed.count(f"lorewell --data {program.data} ") >= 8, printed
    calls = re.findall(rf"lorewell --data {program.data} (.*call) (\w+) '(.*)'", printed)
    assert {"search_articles", "code_query"} < {tool for _, tool, _ in calls}
    for command, tool, arguments in calls:
        answer = json.loads(program.ok(*command.split(), tool, arguments))
        assert "error" not in answer, (tool, answer)
        assert answer.get("count", 1) and answer.get("entities", [1]), (tool, answer)
        assert answer.get("results", [1]) and answer.get("candidates", [1]), (tool, answer)


def test_every_toolset_has_something(demo):
    program, _ = demo
    assert call(program, "find_entities", query="tide bells")["entities"]
    assert call(program, "search_articles", query="bell founding")["entities"]
    assert call(program, "kn_intel", action="recall", topic="breath under water")["count"]
    assert call(program, "knowledge_search", query="lines and veils")["results"]
    assert call(program, "resolve_entity", label="the ferryman")["candidates"]
    assert call(program, "find_entities", name="Ilse Marrow")["entities"]
    assert call(program, "knowledge_search", query="high water", source="github")["results"]


def test_it_is_the_world_in_use(demo):
    program, _ = demo
    assert re.search(r"^\* Saltmere ", program.ok("world", "list"), re.MULTILINE)


def test_a_second_one_needs_another_name(demo):
    """The first sample world is not changed by accident."""
    program, _ = demo
    refused = program.run("demo")
    assert refused.returncode == 1 and "--name" in refused.stderr
    assert "Other is ready" in program.ok("demo", "--name", "Other")
    test_what_it_says_to_try_works(demo)


def test_its_folder_may_be_named_from_here(binary, tmp_path):
    """With a relative data directory such as `--data demo`, the code is found from wherever a
    server runs later."""
    program = Program(binary, tmp_path)
    program.data = "demo"
    program.ok("demo", cwd=tmp_path)
    asked = json.dumps({"cypher": "MATCH (f:Function) RETURN count(f) AS n"})
    assert json.loads(program.ok("call", "code_query", asked, cwd=tmp_path))["results"][0]["n"] > 0
