"""The commands: what they print on stdout and stderr, and their exit codes."""

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import tempfile
import tomllib
from pathlib import Path

import pytest

from harness.program import Program
from harness.rpc import initialize_params, message
from harness.web import Session

DICE = '{"hope": 8, "fear": 5, "modifier": 2, "difficulty": 15}'


@pytest.fixture
def elsewhere(binary, tmp_path_factory) -> Program:
    """Another installation."""
    return Program(binary, tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture
def filled(program) -> Program:
    """The program with data to lose."""
    program.ok("world", "create", "Second")
    with program.stdio() as pipes:
        pipes.initialize()
        for number in range(20):
            campaign = {"name": f"Campaign {number}", "gm_mode": "AI"}
            pipes.request("tools/call", {"name": "campaign_create", "arguments": campaign})
        assert pipes.close() == 0
    return program


def campaigns(program: Program) -> list[str]:
    """Returns the names of the campaigns, as a client reads them."""
    with program.stdio() as pipes:
        pipes.initialize()
        (content,) = pipes.request("resources/read", {"uri": "campaigns://list"})["contents"]
        return sorted(campaign["name"] for campaign in json.loads(content["text"])["campaigns"])


def failed(done: subprocess.CompletedProcess, *words: str) -> None:
    """Asserts that a command failed: exit code 1, nothing on stdout, an explanation on stderr."""
    assert (done.returncode, done.stdout) == (1, ""), done
    assert done.stderr.startswith("lorewell: "), done.stderr
    for word in words:
        assert word in done.stderr, done.stderr
    assert "panicked" not in done.stderr


# call


def test_call_knows_the_notes_as_they_are(program, tmp_path):
    """Like a running server, `call` notices new notes, edits by hand and deletions."""
    note = tmp_path / "People" / "Ilse.md"
    note.parent.mkdir()
    program.settings = {"VAULT_PATH": str(tmp_path)}
    found = lambda words: json.loads(program.ok("call", "knowledge_search", json.dumps({"query": words})))["count"]
    assert found("heron") == 0
    note.write_text("# Ilse\n\nShe feeds the heron.\n")
    assert found("heron") == 1
    note.write_text("# Ilse\n\nShe feeds the otter.\n")
    assert (found("heron feeds"), found("otter")) == (1, 1)
    note.unlink()
    assert found("otter") == 0
    program.settings = {"VAULT_PATH": "/no/such/folder"}
    done = program.run("call", "duality_outcome", DICE)
    assert done.returncode == 0 and "VAULT_PATH" in done.stderr, done


def test_call_prints_the_answer_as_json(program):
    """The structured answer alone on stdout; nothing on stderr."""
    done = program.run("call", "duality_outcome", DICE)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["outcome"] == "SUCCESS_WITH_HOPE"


def test_call_reads_arguments_from_stdin(program):
    """`-` reads the arguments from stdin."""
    assert json.loads(program.ok("call", "duality_outcome", "-", input=DICE))["total"] == 15


def test_call_needs_no_arguments(program):
    """A tool without arguments is called by its name."""
    assert json.loads(program.ok("call", "duality_rules_version"))["system"] == "Daggerheart"


def test_call_of_a_failing_tool(program):
    """Exit code 1, and the error as JSON with its field and its hint."""
    done = program.run("call", "duality_outcome", '{"hope": 13, "fear": 5}')
    error = json.loads(done.stdout)["error"]
    assert done.returncode == 1
    assert (error["code"], error["field"]) == ("INVALID_ARGUMENT", "hope") and "12" in error["hint"]


def test_call_that_is_refused_in_the_form_of_its_contract(program):
    """Exit code 1 as well: a script must not take a refusal for a result."""
    done = program.run("call", "kn_intel", '{"action": "learn", "content": "x"}')
    assert (done.returncode, json.loads(done.stdout)["error"]) == (1, "type is required for learn")
    assert json.loads(program.ok("call", "kn_intel", '{"action": "recall"}'))["count"] == 0


def test_call_of_an_unknown_tool(program):
    """Exit code 1, the name, and where to look."""
    failed(program.run("call", "rol_dice"), "rol_dice", "lorewell tools")


@pytest.mark.parametrize("arguments", ["{", "hope=8", "[]", "5", '"x"', ""])
def test_call_with_arguments_that_are_no_object(program, arguments):
    """Exit code 1, and what was expected."""
    failed(program.run("call", "duality_outcome", arguments), "arguments", "try:")


def test_call_of_a_tool_that_is_off(program):
    """The selection of tools also applies on the command line."""
    failed(program.run("--exclude-tools", "roll_dice", "call", "roll_dice"), "roll_dice")
    failed(program.run("--exclude-tools", "kn_learn", "call", "kn_learn", "{}"), "kn_learn")


# tools


def test_tools_lists_what_is_on(program):
    """One line for each tool, and the total of what the listing costs to read."""
    lines = program.ok("tools").splitlines()
    declared = program.tools()
    assert [line.split()[0] for line in lines[1:-1]] == [tool["name"] for tool in declared]
    assert lines[-1].startswith(f"{len(declared)} tools, ")


def test_tools_shows_one_in_full(program):
    """With a name, prints the tool's declaration with schemas and an example."""
    shown = json.loads(program.ok("tools", "roll_dice"))
    assert {"inputSchema", "outputSchema", "example", "annotations", "description"} <= set(shown)


def test_tools_of_an_unknown_name(program):
    """Exit code 1."""
    failed(program.run("tools", "rol_dice"), "rol_dice")


# world


def test_the_first_world_is_there(program):
    """A new store has a world to work in."""
    (line,) = program.ok("world", "list").splitlines()
    assert line.split()[:2] == ["*", "Main"]


def test_worlds_are_made_and_chosen(program):
    """`create` adds a world to the list, `use` marks it, `--use` does both."""
    program.ok("world", "create", "Second")
    assert [line[0] for line in program.ok("world", "list").splitlines()] == ["*", " "]
    program.ok("world", "use", "second")
    assert [line[0] for line in program.ok("world", "list").splitlines()] == [" ", "*"]
    program.ok("world", "create", "Third", "--use")
    marked = [
        line.split()[1] for line in program.ok("world", "list").splitlines() if line[0] == "*"
    ]
    assert marked == ["Third"]


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("use", "Nowhere"), ("Nowhere", "Main")),
        (("create", "main"), ("exists already",)),
        (("create", " "), ("name",)),
        (("create", "a\nb"), ("name",)),
        (("create", "x" * 10_000), ("name",)),
    ],
)
def test_world_mistakes_are_explained(program, command, words):
    """An unknown, taken, empty or invalid name: exit code 1 and a reason."""
    failed(program.run("world", *command), *words)


def test_a_world_is_named_for_one_command(filled):
    """`--world` and LOREWELL_WORLD: what is created in one world is not in the other."""
    assert len(campaigns(filled)) == 20
    filled.ok(
        "--world", "Second", "call", "campaign_create", '{"name": "Only here", "gm_mode": "AI"}'
    )
    with filled.stdio(env={"LOREWELL_WORLD": "Second"}) as pipes:
        pipes.initialize()
        text = json.dumps(pipes.request("resources/read", {"uri": "campaigns://list"}))
        assert "Only here" in text and "Campaign 1" not in text
    assert len(campaigns(filled)) == 20


# token


def test_token_create_prints_the_secret_alone(program):
    """Stdout contains the token and nothing else, so that scripts can use it."""
    done = program.run("token", "create", "--role", "gm", "--name", "alice")
    assert done.stdout.count("\n") == 1 and done.stdout.startswith("lw_")
    assert "alice" in done.stderr and done.stdout.strip() not in done.stderr


def test_tokens_are_listed_and_revoked(program):
    """`list` shows number, public part, world, name and role; `revoke` records when."""
    program.token("gm", "alice")
    assert "is revoked" in program.ok("token", "revoke", "1")
    header, line = program.ok("token", "list").splitlines()
    assert header.split() == ["id", "token", "world", "name", "role", "made", "revoked"]
    assert line.split()[0] == "1" and line.split()[2] == "Main" and len(line.split()) == 7


def test_tokens_of_every_world_are_listed_and_revoked_from_any(program):
    """A token locks the whole server, so it can be found wherever its maker works now."""
    program.ok("world", "create", "Side", "--use")
    program.token("player", "alice")
    program.ok("world", "use", "Main")
    program.token("gm", "bob")
    _, alice, bob = program.ok("token", "list").splitlines()
    assert alice.split()[2:5] == ["Side", "alice", "player"]
    assert bob.split()[2:5] == ["Main", "bob", "gm"]
    assert "token 1 is revoked" in program.ok("token", "revoke", "1")


def test_the_first_token_says_that_it_locks_the_server(program):
    """Whoever makes it loses their own access without a token, and is told how to get it back."""
    first = program.run("token", "create", "--role", "player", "--name", "alice")
    second = program.run("token", "create", "--role", "owner", "--name", "me")
    assert "answers nobody without a token" in first.stderr and "--role owner" in first.stderr
    assert "answers nobody" not in second.stderr


def test_a_world_is_renamed(program):
    """A name that another world has is refused and changes nothing."""
    program.ok("world", "create", "Second")
    assert "main to First" in program.ok("world", "rename", "main", "First")
    done = program.run("world", "rename", "First", "second")
    assert done.returncode == 1 and "exists already" in done.stderr, done.stderr
    names = [line.split()[-2] for line in program.ok("world", "list").splitlines()]
    assert names == ["First", "Second"]


# read


def test_resources_are_listed_and_read(filled):
    """`read` prints what a client reads by the same URI; without one, it lists what there is."""
    assert "campaigns://list" in filled.ok("read") and "kn://status" in filled.ok("read")
    shown = json.loads(filled.ok("read", "campaigns://list"))
    with filled.stdio() as pipes:
        pipes.initialize()
        (content,) = pipes.request("resources/read", {"uri": "campaigns://list"})["contents"]
    assert shown == json.loads(content["text"])
    done = filled.run("read", "nothing://here")
    assert done.returncode == 1 and "lorewell read" in done.stderr
    assert "campaigns://list" not in filled.ok("read", "--toolsets", "memory")


@pytest.mark.parametrize(
    ("command", "word"),
    [
        (("create", "--role", "wizard", "--name", "x"), "reader"),
        (("create", "--role", "gm", "--name", ""), "name"),
        (("revoke", "99"), "99"),
    ],
)
def test_token_mistakes_are_explained(program, command, word):
    """An unknown role, an empty name, a number that is not a token's."""
    failed(program.run("token", *command), word)


# connect


def test_connect_tells_what_the_client_will_not_hear(program):
    """Settings from the environment, which the client will not have, are printed as lines for the
    configuration file, without secrets."""
    program.settings = {"VAULT_PATH": "notes", "KANKA_TOKEN": "s3cret", "KANKA_CAMPAIGN_ID": "7"}
    done = program.run("connect", "cursor")
    assert done.returncode == 0 and "s3cret" not in done.stdout + done.stderr, done
    lines = [line.strip() for line in done.stderr.splitlines()]
    said = "\n".join(lines[next(at for at, line in enumerate(lines) if line.startswith("vault =")) :])
    said = tomllib.loads(said[: said.index("campaign = 7") + len("campaign = 7")])
    assert os.path.isabs(said["vault"]) and said["vault"].endswith("/notes")
    assert said["kanka"] == {"token": "…", "campaign": 7}
    own = str(program.home / "own.toml")
    assert f"put them into {own}" in program.run("--config", own, "connect", "cursor").stderr
    program.settings = {}
    assert "vault" not in program.run("connect", "cursor").stderr


@pytest.mark.parametrize("wrong", [
    ("--toolsets", "nope"), ("--tools", "nope"), ("--exclude-tools", "nope"), ("--world", "NoSuchWorld")])
def test_connect_writes_no_entry_that_cannot_start(filled, wrong):
    file = filled.home / "mcp.json"
    for write in ((), ("--write",)):
        failed(filled.run(*wrong, "connect", "cursor", "--file", str(file), *write), wrong[1])
    assert not file.exists()
    filled.ok("--world", "main", "--tools", "kn_intel", "connect", "cursor", "--file", str(file), "--write")
    assert file.exists()


def test_connect_makes_no_store(program):
    failed(program.run("--world", "Main", "connect", "cursor"), "no store", "try:")
    assert not program.store.exists()
    program.ok("connect", "cursor")
    assert not program.store.exists()


# services that are configured wrong


HALVES = [("KANKA_TOKEN", "KANKA_CAMPAIGN_ID"), ("KANKA_CAMPAIGN_ID", "KANKA_TOKEN"),
          ("WORLD_ANVIL_TOKEN", "WORLD_ANVIL_APP_KEY")]


@pytest.mark.parametrize("there, missing", HALVES)
def test_half_a_service_stops_only_what_needs_it(program, there, missing):
    """The warning names the variable that is set and the one that is missing."""
    program.settings = {there: "7"}
    for command in (["world", "list"], ["tools"], ["call", "duality_outcome", DICE]):
        done = program.run(*command)
        assert done.returncode == 0, done
        assert f"{there} is set, and {missing} is not" in done.stderr and "set both" in done.stderr, done
    failed(program.run("serve"), there, missing)


TOKENS = (["token", "list"], ["token", "revoke", "1"])
OTHERS = (["call", "duality_outcome", DICE], ["read", "lorewell://worlds"], ["demo", "--name", "Sample"],
          ["export", "memory", "jsonl", "memory.jsonl"])


@pytest.mark.parametrize("wrong, commands", [
    ({"KOI_API_ENDPOINT": "not a url"}, [*TOKENS, *OTHERS]),
    ({"WORLD_ANVIL_TOKEN": "7"}, [*TOKENS, *OTHERS]),
    # The others would work in the world that mirrors the campaign.
    ({"KANKA_TOKEN": "t", "KANKA_CAMPAIGN_ID": "7", "KANKA_API_BASE": "kanka"}, TOKENS),
])
def test_a_service_that_is_set_wrong_stops_nothing_else(program, tmp_path, wrong, commands):
    """Above all not the revoking of a token."""
    program.token("owner", "ada")
    program.settings = wrong
    for command in commands:
        command = [str(tmp_path / part) if part == "memory.jsonl" else part for part in command]
        done = program.run(*command)
        assert done.returncode == 0 and "going on without it" in done.stderr, (command, done)


# doctor


def test_doctor_finds_nothing_wrong(filled):
    """Exit code 0, the statistics of the store, and a closing line."""
    said = filled.ok("doctor")
    assert "2 worlds" in said and said.splitlines()[-1] == "all is well"
    report = json.loads(filled.ok("doctor", "--json"))
    assert report["findings"] == [] and report["stats"]["worlds"] == 2


def test_doctor_calls_a_warning_about_a_note_no_problem(filled):
    notes = filled.home / "notes"
    notes.mkdir()
    (notes / "Ida.md").write_text("---\nname: [Ida\n---\nShe is here.\n")
    filled.settings = {"VAULT_PATH": str(notes)}
    filled.ok("index")
    said = filled.ok("doctor")
    assert "warning Ida.md" in said and "PROBLEM" not in said and said.splitlines()[-1] == "all else is well"
    report = json.loads(filled.ok("doctor", "--json"))
    assert not report["findings"] and "Ida.md" in report["warnings"][0]["problem"]


def test_doctor_names_the_configuration_that_was_read(filled):
    """The file that was named, or none."""
    assert ["config", "none"] in [line.split() for line in filled.ok("doctor").splitlines()]
    config = filled.home / "mine.toml"
    config.write_text("read_only = false\n")
    lines = [line.split() for line in filled.ok("--config", str(config), "doctor").splitlines()]
    assert ["config", str(config)] in lines


MISCONFIGURED = {
    "a vault that is not there": ({"VAULT_PATH": "/no/such/folder"}, "", "vault", "VAULT_PATH"),
    "a vault that is a file": ({"VAULT_PATH": "/etc/hostname"}, "", "vault", "VAULT_PATH"),
    "a KOI API that is no URL": ({"KOI_API_ENDPOINT": "not a url"}, "", "KOI_API_ENDPOINT", "http://"),
    "a Kanka that is no URL": (
        {"KANKA_TOKEN": "t", "KANKA_CAMPAIGN_ID": "7", "KANKA_API_BASE": "kanka"}, "", "kanka.url", "http"),
    "a World Anvil that is no URL": (
        {"WORLD_ANVIL_APP_KEY": "k", "WORLD_ANVIL_TOKEN": "t", "WORLD_ANVIL_URL": "x"}, "", "WORLD_ANVIL", "http"),
    "embeddings that are no URL": ({}, "[embeddings]\nurl = 'x'\nmodel = 'm'\n", "embeddings.url", "http"),
    "a model that is no URL": ({}, "[llm]\nurl = 'x'\nmodel = 'm'\n", "llm.url", "http"),
    "an address that is none": ({}, "[http]\naddr = 'nowhere'\n", "http.addr", "[http]"),
    "an address for KOI that is none": ({}, "[http]\nkoi_addr = '127.0.0.1'\n", "http.koi_addr", "[http]"),
    "an address that others reach": ({}, "[http]\nkoi_addr = '0.0.0.0:8351'\n", "--allow-remote", "[http]"),
    "a node nowhere": ({}, "[federation]\nbase_url = 'x'\n", "federation.base_url", "https://"),
    "a node that wants what is none": ({}, "[federation]\nwants = ['orn:']\n", "federation.wants", "orn:"),
    "code that is not there": ({}, "[code]\npaths = ['/no/such/code']\n", "/no/such/code", "code.paths"),
}


@pytest.mark.parametrize("case", MISCONFIGURED)
def test_doctor_explains_what_is_configured_wrong(filled, case):
    """Each problem is named, with a remedy, and the store is still checked."""
    variables, text, problem, remedy = MISCONFIGURED[case]
    config = filled.home / "wrong.toml"
    config.write_text(text)
    filled.settings = variables
    done = filled.run("--config", str(config), "doctor", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1 and report["stats"]["worlds"] >= 2, done
    (finding,) = report["findings"]
    assert problem in finding["problem"] and remedy in finding["remedy"], finding


def test_doctor_looks_at_every_setting_at_once(filled):
    """One wrong setting does not hide another, and the check creates no key."""
    filled.settings = {"VAULT_PATH": "/no/such/folder", "KOI_API_ENDPOINT": "not a url"}
    (filled.data / "koi-net.pem").write_text("no key")
    done = filled.run("doctor")
    assert done.returncode == 1 and done.stdout.count("PROBLEM") == 3, done.stdout
    for said in ("vault", "KOI_API_ENDPOINT", "the federation's key", "configured"):
        assert said in done.stdout, done.stdout
    (filled.data / "koi-net.pem").unlink()
    filled.settings = {"VAULT_PATH": str(filled.home)}
    assert filled.ok("doctor").splitlines()[-1] == "all is well"
    assert not (filled.data / "koi-net.pem").exists()


def test_doctor_goes_on_after_what_is_set_by_half(filled):
    """With settings that no command would start with, each problem is reported and the store is
    still checked."""
    filled.settings = {
        "KANKA_CAMPAIGN_ID": "abc", "WORLD_ANVIL_TOKEN": "y", "LOREWELL_LLM_URL": "http://127.0.0.1:1",
        "LOREWELL_TOOLSETS": "foo", "VAULT_PATH": "/no/such/folder",
    }
    done = filled.run("doctor", "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1 and report["stats"]["worlds"] == 2, done
    told = " ".join(finding["problem"] for finding in report["findings"])
    assert len(report["findings"]) == 5, told
    for word in ("KANKA_CAMPAIGN_ID", "WORLD_ANVIL_APP_KEY", "llm.model", "foo", "vault"):
        assert word in told, told
    failed(filled.run("world", "list"))


@pytest.mark.parametrize("variable", ["LOREWELL_HTTP_ADDR", "LOREWELL_KOI_ADDR"])
@pytest.mark.parametrize("address", ["garbage", "0.0.0.0:9107", "127.0.0.1", "127.0.0.1:99999"])
def test_doctor_knows_the_addresses_that_the_environment_names(filled, variable, address):
    """They are refused in the same way as by `serve`."""
    filled.settings = {variable: address}
    failed(filled.run("serve"))
    done = filled.run("doctor", "--json")
    (finding,) = json.loads(done.stdout)["findings"]
    assert done.returncode == 1 and variable in finding["remedy"], finding


def test_doctor_works_while_a_server_runs(filled, serve):
    """A check does not disturb a server, and the server does not disturb the check."""
    server = serve()
    assert "all is well" in filled.ok("doctor")
    assert server.is_healthy()


HEADER = [f"byte {place} of the header" for place in (0, 5, 10, 15, 60, 61, 68, 70)]
"""Bytes of the file header that identify a database, its schema and its application."""


def damage(store, how: str) -> None:
    """Damages a store."""
    if how == "a directory":
        store.unlink()
        store.mkdir()
        return
    data = bytearray(store.read_bytes())
    if how in HEADER:
        data[int(how.split()[1])] ^= 2
    if how == "pages overwritten":
        data[8 * 4096 : 24 * 4096] = b"\xff" * (16 * 4096)
    elif how == "cut short":
        del data[len(data) // 2 :]
    elif how == "header destroyed":
        data[:100] = b"\x00" * 100
    elif how == "another file":
        data[:] = b"this is a shopping list\n"
    elif how == "empty":
        data.clear()
    store.write_bytes(data)


@pytest.mark.parametrize(
    "how",
    ["pages overwritten", "cut short", "header destroyed", "another file", "empty", "a directory", *HEADER],
)
def test_doctor_explains_a_damaged_store(filled, elsewhere, how):
    """Exit code 1, the problem and a remedy; the damaged file stays as it is."""
    copy = filled.copy(elsewhere.home / "copy")
    damage(copy.store, how)
    before = copy.store.is_file() and copy.store.read_bytes()
    done = copy.run("doctor")
    assert done.returncode == 1, done.stdout
    assert "PROBLEM" in done.stdout and "mend:" in done.stdout and "panicked" not in done.stderr
    report = json.loads(copy.run("doctor", "--json").stdout)
    assert report["findings"] and all("backup" in found["remedy"] for found in report["findings"])
    assert (copy.store.is_file() and copy.store.read_bytes()) == before


@pytest.mark.parametrize("place", [18, 19])
def test_doctor_tells_which_byte_of_the_header_is_odd(filled, elsewhere, place):
    """For the bytes that state the file format: everything else is intact, and the remedy for those
    without a backup works."""
    copy = filled.copy(elsewhere.home / "copy")
    data = bytearray(copy.store.read_bytes())
    data[place] = 7
    copy.store.write_bytes(data)
    done = copy.run("doctor")
    assert done.returncode == 1 and f"byte {place} of" in done.stdout, done.stdout
    assert "set that byte to 2" in done.stdout
    data[place] = 2
    copy.store.write_bytes(data)
    assert "all is well" in copy.ok("doctor")


@pytest.mark.parametrize("command", ["doctor", "world"])
def test_the_data_directory_is_no_file(filled, command):
    """A user who passes the store itself as `--data` is told to pass its directory."""
    mistaken = Program(filled.binary, filled.home)
    mistaken.data = filled.store
    done = mistaken.run(*([command] if command == "doctor" else ["world", "list"]))
    said = done.stdout + done.stderr
    assert done.returncode == 1 and f"--data is the file {filled.store}, not a directory" in said
    assert f"use --data {filled.data}" in said


NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
"""Runs a command as another user, where that is possible."""


@pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("setpriv"), reason="only root can be somebody else")
@pytest.mark.parametrize("what", ["the file", "the directory", "writing"])
def test_a_store_of_somebody_else_is_not_taken_for_damaged(filled, what):
    """Nobody is advised to replace an intact store by a backup."""
    with tempfile.TemporaryDirectory() as folder:
        copy = filled.copy(Path(folder))
        os.chmod(folder, 0o755)
        os.chmod(copy.data, {"the directory": 0o000}.get(what, 0o555))
        os.chmod(copy.store, {"the file": 0o000}.get(what, 0o444))
        done = subprocess.run(NOBODY + copy.command("doctor"), env=copy.environment(), capture_output=True, text=True)
        said = done.stdout
        assert done.returncode == 1 and "the store itself may be whole" in said, said + done.stderr
        assert "backup" not in said and "chmod" in said
        used = subprocess.run(NOBODY + copy.command("world", "list"), env=copy.environment(), capture_output=True, text=True)
        assert used.returncode == 1 and "try: the store itself may be whole" in used.stderr, used.stderr


@pytest.mark.parametrize("command", [["world", "list"], ["call", "roll_dice", "{}"], ["serve"], []])
def test_whoever_cannot_open_the_store_is_told_what_to_try(filled, elsewhere, command):
    """Not only doctor says so: a client that starts the program shows nothing else."""
    copy = filled.copy(elsewhere.home / "copy")
    with sqlite3.connect(copy.store) as db:
        db.execute("PRAGMA user_version = 99")
    done = copy.run(*command, stdin=subprocess.DEVNULL)
    assert done.returncode == 1 and "try: update lorewell" in done.stderr, done.stderr


def test_doctor_makes_no_store(program):
    """If there is no store, or the directory was mistyped, it says so."""
    done = program.run("doctor")
    assert done.returncode == 1 and "PROBLEM there is no store yet" in done.stdout
    assert not program.data.exists()


CASKS = "The cellar holds forty casks of cider"


def test_doctor_names_what_a_bad_disk_changed(filled):
    """With one letter of a text changed, nobody is shown the wrong text, doctor names it, and the
    remedy for those without a backup works."""
    page = {"entity_type": "location", "name": "The Cellar", "entry": CASKS}
    made = json.loads(filled.ok("call", "create_entities", json.dumps({"entities": [page]})))
    assert CASKS in filled.ok("call", "find_entities", '{"query": "casks"}')
    good = filled.store.read_bytes()
    assert CASKS.encode() in good
    filled.store.write_bytes(good.replace(b"casks of cider", b"casks of cidEr"))
    found = filled.run("call", "find_entities", '{"query": "casks"}')
    assert found.returncode == 0 and "cid" not in found.stdout and "doctor" in found.stderr
    asked = json.dumps({"entity_ids": [made["results"][0]["entity_id"]]})
    found = filled.run("call", "get_entities", asked)
    assert "cid" not in found.stdout and "doctor" in found.stdout
    done = filled.run("doctor")
    assert done.returncode == 1 and "(entry) of node" in done.stdout and "--accept" in done.stdout
    refused = filled.run("backup", str(filled.home / "copy"))
    assert refused.returncode != 0 and "is not what was written" in refused.stderr
    said = filled.ok("doctor", "--accept", "--rebuild")
    assert "accepted 1 damaged entries" in said and "all is well" in said
    assert "cidEr" in filled.ok("call", "find_entities", '{"query": "casks"}')


def test_doctor_looks_at_the_world_that_is_named(filled):
    """Doctor prints what that world holds; a world that does not exist is a problem."""
    filled.ok("--world", "Second", "call", "campaign_create", '{"name": "One", "gm_mode": "AI"}')
    first = json.loads(filled.ok("doctor", "--json"))["world"]
    second = json.loads(filled.ok("--world", "second", "doctor", "--json"))["world"]
    assert (first["name"], second["name"]) == ("Main", "Second")
    assert first["nodes"] >= 20 > second["nodes"] > 0
    assert "Second: " in filled.ok("--world", "Second", "doctor")
    done = filled.run("--world", "Nope", "doctor")
    assert done.returncode == 1 and 'PROBLEM the world "Nope" was not found' in done.stdout
    assert "Main, Second" in done.stdout


def test_doctor_warns_of_a_full_disk(filled):
    """It warns before writes are refused. The disk in this test is a small one in memory."""
    small = filled.home / "small"
    small.mkdir()
    steps = f'mount -t tmpfs -o size=8m none "{small}" && cp -r "{filled.data}" "{small}" && exec "$@"'
    apart = ["unshare", "--map-root-user", "--mount", "sh", "-c", steps, "sh"]
    if subprocess.run([*apart, "true"], capture_output=True).returncode != 0:
        pytest.skip("this system lets nobody mount a disk of their own")
    doctor = [filled.binary, "--data", str(small / "data"), "doctor"]
    done = subprocess.run([*apart, *doctor], env=filled.environment(), capture_output=True, text=True)
    assert done.returncode == 1 and "is full" in done.stdout and "mend: make room" in done.stdout


def test_doctor_explains_a_newer_store(filled):
    """A store of a later version is refused and left as it is."""
    with sqlite3.connect(filled.store) as db:
        db.execute("PRAGMA user_version = 9999")
    db.close()
    done = filled.run("doctor")
    assert done.returncode == 1 and "PROBLEM" in done.stdout and "9999" in done.stdout
    assert "mend: update lorewell" in done.stdout


def test_a_world_that_is_not_there_is_noticed_at_once(filled):
    """It is noticed at the start, not with the client's first call."""
    failed(filled.run("--world", "Nope", "serve", "--http-addr", "127.0.0.1:0"), "Nope")
    failed(filled.run("--world", "Nope", input=""), "Nope")


def test_output_that_cannot_be_written_is_a_failure(filled):
    """A token that nobody has seen is not a success."""
    with open("/dev/full", "w") as full:
        command = filled.command("token", "create", "--role", "gm", "--name", "unseen")
        done = subprocess.run(command, env=filled.environment(), stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"could not be written" in done.stderr


def test_a_damaged_store_is_not_served(filled):
    """stdio and serve refuse with a reason instead of working on a damaged store."""
    damage(filled.store, "header destroyed")
    failed(filled.run("serve", "--http-addr", "127.0.0.1:0"), "store")
    failed(filled.run(input=""), "store")


# backup and restore


def test_backup_while_serving_and_restore_elsewhere(filled, elsewhere, serve):
    """A copy made under a running server has everything and works elsewhere."""
    server = serve()
    with server.client() as http:
        Session(http).open().call(
            "campaign_create", {"name": "Made while serving", "gm_mode": "AI"}
        )
    copy = filled.home / "backup.sqlite"
    assert str(copy) in filled.ok("backup", str(copy))
    assert server.is_healthy()
    assert "2 worlds" in elsewhere.ok("restore", str(copy))
    assert campaigns(elsewhere) == campaigns(filled) and "Made while serving" in campaigns(
        elsewhere
    )
    assert "all is well" in elsewhere.ok("doctor")


def test_backup_under_load_is_consistent(program, elsewhere, serve):
    """Several backups while campaigns are being created: each is complete up to its own moment."""
    server = serve()
    sizes = []
    with server.client() as http:
        session = Session(http).open()
        for number in range(5):
            for _ in range(10):
                session.call("campaign_create", {"name": f"Campaign {number}", "gm_mode": "AI"})
            copy = program.home / f"backup-{number}.sqlite"
            program.ok("backup", str(copy))
            elsewhere.ok("restore", str(copy))
            sizes.append(len(campaigns(elsewhere)))
    assert sizes == [10, 20, 30, 40, 50]


def test_a_backup_of_nothing_is_refused(program):
    """A mistyped directory is noticed, and no store is created there."""
    refused = program.run("backup", str(program.home / "copy"))
    assert refused.returncode == 1 and "--data" in refused.stderr
    assert not program.store.exists()


def test_a_backup_into_a_folder_that_is_not_there_says_so(filled):
    """The error names the folder and what to do."""
    refused = filled.run("backup", str(filled.home / "nowhere" / "copy"))
    assert refused.returncode == 1 and f"no folder {filled.home / 'nowhere'}" in refused.stderr


@pytest.mark.parametrize("option", ["--tools", "--exclude-tools"])
def test_tools_that_do_not_exist_are_named(program, option):
    refused = program.run(option, "roll_dice,rol_dice", "tools")
    assert refused.returncode == 1 and "rol_dice" in refused.stderr


@pytest.mark.parametrize("word", ["1", "yes", "TRUE", "on"])
def test_read_only_by_environment(program, word):
    tools = program.tools(env={"LOREWELL_READ_ONLY": word})
    assert tools and all(tool["annotations"]["readOnlyHint"] for tool in tools)


def test_a_last_message_without_an_end_of_line_is_answered(program):
    asked = json.dumps(message("initialize", initialize_params("2025-11-25"), id=1))
    done = program.run(input=asked)
    assert json.loads(done.stdout)["id"] == 1


def test_a_backup_is_private_and_never_overwrites(filled):
    """Only the owner can read it, and an existing file is refused."""
    copy = filled.home / "backup.sqlite"
    filled.ok("backup", str(copy))
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    before = copy.read_bytes()
    failed(filled.run("backup", str(copy)), "exists already", "try: another file name")
    assert copy.read_bytes() == before


def test_restoring_from_nothing_says_that_there_is_no_such_file(filled):
    failed(filled.run("restore", str(filled.home / "nosuch.file")), "there is no file", "try:")


def test_restore_keeps_the_store_from_before(filled):
    """The replaced store is kept next to the new one and can be restored in turn."""
    copy = filled.home / "backup.sqlite"
    filled.ok("backup", str(copy))
    filled.ok("call", "campaign_create", '{"name": "Too late", "gm_mode": "AI"}')
    said = filled.ok("restore", str(copy))
    assert "Too late" not in campaigns(filled)
    kept = said.splitlines()[-1].split()[-1]
    filled.ok("restore", kept)
    assert "Too late" in campaigns(filled)


@pytest.mark.parametrize("user", ["serve", "stdio"])
def test_restore_is_refused_while_the_store_is_in_use(filled, user):
    """If a server or a client has the store open, nothing is replaced and it keeps working."""
    copy = filled.home / "backup.sqlite"
    filled.ok("backup", str(copy))
    if user == "serve":
        server = filled.serve()
        failed(filled.run("restore", str(copy)), "stop")
        assert server.is_healthy()
        server.kill()
    else:
        with filled.stdio() as pipes:
            pipes.initialize()
            failed(filled.run("restore", str(copy)), "stop")
            assert pipes.request("tools/list")["tools"]
    filled.ok("restore", str(copy))


@pytest.mark.parametrize(
    "how", ["pages overwritten", "cut short", "header destroyed", "another file", "empty"]
)
def test_a_bad_backup_is_refused(filled, how):
    """The store stays as it was."""
    copy = filled.home / "backup.sqlite"
    filled.ok("backup", str(copy))
    damage(copy, how)
    failed(filled.run("restore", str(copy)), "backup.sqlite")
    assert len(campaigns(filled)) == 20


def test_a_missing_backup_is_refused(filled):
    """The file name was mistyped."""
    failed(filled.run("restore", str(filled.home / "nothing.sqlite")), "nothing.sqlite")


def test_a_damaged_store_is_restored(filled):
    """The remedy that doctor suggests works."""
    copy = filled.home / "backup.sqlite"
    filled.ok("backup", str(copy))
    damage(filled.store, "pages overwritten")
    filled.ok("restore", str(copy))
    assert len(campaigns(filled)) == 20


# the program itself


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions(program, shell):
    """The script for the shell contains the commands."""
    script = program.ok("completions", shell)
    assert all(word in script for word in ("serve", "token", "doctor", "toolsets"))
    if path := shutil.which(shell):
        subprocess.run([path, "-n"], input=script, text=True, check=True, timeout=60)


def test_help_mentions_what_matters(program):
    """`--help` lists the options that most people look for."""
    said = program.ok("--help")
    for word in (
        "serve",
        "connect",
        "--data",
        "--world",
        "--toolsets",
        "--tools",
        "--exclude-tools",
        "--read-only",
        "--config",
        "LOREWELL_DATA",
        "LOREWELL_LOG",
        "stdin and stdout",
    ):
        assert word in said, word
    said = program.ok("serve", "--help")
    for word in (
        "--http-addr",
        "127.0.0.1:8081",
        "--allow-remote",
        "--allow-host",
        "--allow-origin",
        "--strict-http",
        "--rate-limit",
        "--max-sessions",
        "token",
    ):
        assert word in said, word


def test_the_version_is_told(program):
    """`lorewell --version` prints the name and the version."""
    assert program.ok("--version").startswith("lorewell ")


@pytest.mark.parametrize(
    "mistake", [("bogus",), ("serve", "--bogus"), ("call",), ("token", "revoke", "x")]
)
def test_mistakes_on_the_command_line(program, mistake):
    """Exit code 2, usage on stderr, nothing on stdout."""
    done = program.run(*mistake)
    assert (done.returncode, done.stdout) == (2, "") and "--help" in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("call", "duality_rules_version"),
        ("tools", "--json"),
        ("doctor", "--json"),
        ("world", "list"),
    ],
)
def test_stdout_is_the_answer_however_much_is_logged(program, command):
    """Logging goes to stderr: stdout is the same with -vvv and LOREWELL_LOG=trace."""
    program.ok("world", "list")
    quiet, loud = program.ok(*command), program.ok("-vvv", *command, env={"LOREWELL_LOG": "trace"})
    assert loud == quiet


def test_the_data_directory_is_private(program):
    """Only the owner can access the data directory and its files."""
    program.ok("world", "list")
    assert stat.S_IMODE(program.data.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in program.data.iterdir())


def test_the_data_directory_by_environment(program):
    """LOREWELL_DATA works like `--data`."""
    place = program.home / "by-environment"
    done = subprocess.run(
        [program.binary, "world", "list"],
        env=program.environment(LOREWELL_DATA=str(place)),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and (place / "lorewell.sqlite").exists()


def test_a_wrong_configuration_file_is_explained(program):
    """A misspelt key and a missing file: exit code 1, and the error names it."""
    config = program.home / "lorewell.toml"
    config.write_text("[http]\nadress = '127.0.0.1:1'\n")
    failed(program.run("--config", str(config), "world", "list"), "lorewell.toml", "adress")
    failed(program.run("--config", str(config) + "x", "world", "list"), "lorewell.tomlx")


def test_a_taken_port_is_explained(program, serve):
    """Exit code 1, and the option that helps."""
    server = serve()
    failed(program.run("serve", "--http-addr", f"127.0.0.1:{server.port}"), "--http-addr")


@pytest.mark.parametrize(
    "address", ["", "localhost", "host:port", "127.0.0.1:99999", "nowhere.invalid:1"]
)
def test_an_impossible_address_is_explained(program, address):
    """The error shows the form HOST:PORT."""
    failed(program.run("serve", "--http-addr", address), "127.0.0.1:8081")


def test_serve_stops_in_order(server):
    """SIGTERM: exit code 0, and the write-ahead log is merged into the store."""
    with server.client() as http:
        session = Session(http).open()
        with session.stream():
            assert server.stop() == 0
    assert not list(server.program.data.glob("*-wal"))


def test_two_servers_share_a_store(program, serve):
    """Each shows what the other writes."""
    first, second = serve(), serve()
    with first.client() as one, second.client() as two:
        Session(one).open().call("campaign_create", {"name": "Shared", "gm_mode": "AI"})
        text = json.dumps(
            Session(two).open().request("resources/read", {"uri": "campaigns://list"})
        )
        assert "Shared" in text
