"""The code tools, through the official Python client over stdio and through the KOI API: over the
project's own sources, over a small repository that changes, and with what is not allowed."""

import json
import re
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from harness.git_host import GitHost
from harness.knowledge import call, client_of, refused
from harness.program import PATIENCE, Program

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).parents[2]
TEA = '''import helpers


class Kettle:
    """Boils water for tea."""

    def boil(self, litres):
        return helpers.heat(litres)


def brew():
    return Kettle().boil(2)
'''
HELPERS = '''def heat(litres):
    """Warms water until it sings."""
    return litres * 100
'''


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def kitchen(tmp_path):
    """A small source tree."""
    folder = tmp_path / "kitchen"
    folder.mkdir()
    (folder / "tea.py").write_text(TEA)
    (folder / "helpers.py").write_text(HELPERS)
    return folder


@pytest.fixture(params=["embedded", "remote"])
def place(request, program, kitchen, serve, binary, tmp_path):
    """A program that answers from its own world, or one that uses the API of the first."""
    program.ok("scan", str(kitchen), "--name", "me/kitchen")
    if request.param == "embedded":
        return program
    other = Program(binary, tmp_path / "other")
    other.home.mkdir()
    other.settings = {"KOI_API_ENDPOINT": f"{serve().origin}/compat/koi"}
    return other


async def rows(client, cypher, **params):
    return (await call(client, "code_query", cypher=cypher, params=params))["results"]


async def eventually(client, cypher):
    """Waits until a query has rows: the graph is rebuilt in the background."""
    deadline = time.monotonic() + PATIENCE
    while not await rows(client, cypher):
        assert time.monotonic() < deadline, cypher


@pytest.fixture
def host(tmp_path):
    """A git server with a certificate that no client trusts by default."""
    folder = tmp_path / "host"
    folder.mkdir()
    host = GitHost(folder)
    yield host
    host.close()


def git(folder, *words):
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(("git", "-C", folder, *who, *words), check=True, capture_output=True)


async def test_a_repository_is_fetched_over_https(program, kitchen, host):
    """A repository is cloned, queried and updated, but not from a host whose certificate is not
    trusted."""
    git(kitchen, "init", "--initial-branch=main")
    git(kitchen, "add", "."), git(kitchen, "commit", "-m", "Tea")
    git(kitchen.parent, "clone", "--bare", kitchen, host.folder / "kitchen.git")
    address, options = host.address("kitchen.git"), ("--name", "me/kitchen")
    refusal = program.run("scan", address, *options)
    assert "not allowed" in refusal.stderr and not host.asked, refusal
    program.settings = {"LOREWELL_WEB_REACHABLE": f"127.0.0.1:{host.port}"}
    refusal = program.run("scan", address, *options)
    assert "certificate" in refusal.stdout + refusal.stderr, refusal
    program.settings["GIT_SSL_CAINFO"] = str(host.certificate)
    program.ok("scan", address, *options)
    async with client_of(program) as client:
        functions = "MATCH (f:Function) RETURN f.name AS name ORDER BY name"
        named = [row["name"] for row in await rows(client, functions)]
        assert named == ["boil", "brew", "heat"]
        (kitchen / "helpers.py").write_text("def cool(litres):\n    return 4\n")
        git(kitchen, "commit", "--all", "-m", "Cooler")
        git(kitchen, "push", host.folder / "kitchen.git", "main")
        done = await call(client, "github_scan", action="scan")
        assert done["results"][0]["files_processed"] == 1, done
        named = [row["name"] for row in await rows(client, functions)]
        assert named == ["boil", "brew", "cool"]
        host.moved_to = host.address("other.git")
        moved = await call(client, "github_scan", action="scan")
        assert "git failed" in json.dumps(moved["results"]), moved
        assert "other.git" not in " ".join(host.asked)


async def test_questions_about_the_projects_own_sources(program):
    """Five questions whose answers are evident from the sources."""
    program.ok("scan", str(ROOT / "crates"), "--name", "lorewell", timeout=4 * PATIENCE)
    sources = {path: path.read_text() for path in (ROOT / "crates").rglob("*.rs")}
    async with client_of(program) as client:
        files = await rows(client, "MATCH (f:File {language: 'rust'}) RETURN count(f) AS n")
        assert files == [{"n": len(sources)}]

        defined = "MATCH (f:File)-[:CONTAINS]->(c:Class {name: 'SqliteStore'}) RETURN f.file_path"
        assert await rows(client, defined) == [{"f.file_path": "lore-sqlite/src/store.rs"}]

        callers = "MATCH (c)-[:CALLS]->(f:Function {name: $name}) RETURN c.name AS who, c.file_path"
        found = await rows(client, callers, name="scan_folder")
        assert {
            "who": "read_folder",
            "c.file_path": "lore-app/src/knowledge/code/scan.rs",
        } in found, found

        implemented = (
            "MATCH (c:Class)-[:IMPLEMENTS]->(:Interface {name: 'ToolSpec'}) "
            "RETURN DISTINCT c.name AS name ORDER BY name"
        )
        impl = re.compile(r"^impl ToolSpec for (\w+)", re.MULTILINE)
        written = {name for text in sources.values() for name in impl.findall(text)}
        assert {row["name"] for row in await rows(client, implemented)} == written

        way = (
            "MATCH (a:Function {name: 'main', file_path: 'lorewell/src/main.rs'}), "
            "(b:Function {name: 'runtime_for'}), p = shortestPath((a)-[:CALLS*..5]->(b)) "
            "RETURN [n IN nodes(p) | n.name] AS way"
        )
        assert await rows(client, way) == [{"way": ["main", "run", "runtime_for"]}]

        words = "a fence that nothing in the code closes"
        text = await call(client, "knowledge_search", query=words, source="github")
        assert "lore-code/src/chunk.rs" in [row["title"] for row in text["results"]][:3], text


async def test_one_edit_changes_one_files_symbols(place, kitchen):
    others = "MATCH (n) WHERE n.file_path <> 'helpers.py' RETURN n.entity_id ORDER BY n.entity_id"
    async with client_of(place) as client:
        before = await rows(client, others)
        callers = "MATCH (a)-[:CALLS]->({name: 'heat'}) RETURN a.name, a.receiver_type, a.line_start"
        assert await rows(client, callers) == [
            {"a.name": "boil", "a.receiver_type": "Kettle", "a.line_start": 7}
        ]
        (kitchen / "helpers.py").write_text("def cool(litres):\n    return 4\n")
        done = await call(client, "github_scan", action="scan", repo_name="me/kitchen")
        assert done["status"] == "completed"
        assert done["results"][0]["files_processed"] == 1 and done["results"][0]["total_files"] == 2
        assert await rows(client, others) == before
        named = "MATCH (f:Function {file_path: 'helpers.py'}) RETURN f.name"
        assert await rows(client, named) == [{"f.name": "cool"}]
        status = await call(client, "github_scan")
        assert status["repos"][0]["repo_name"] == "me/kitchen" and status["total_scans"] == 2


async def test_writing_is_refused_and_mistakes_are_explained(place):
    async with client_of(place) as client:
        for cypher, word in (
            ("MATCH (n) DETACH DELETE n", "DELETE"),
            ("CREATE (n:Function {name: 'x'}) RETURN n", "CREATE"),
            ("CALL db.labels() YIELD label RETURN label", "CALL"),
            ("LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line", "LOAD CSV"),
            ("MATCH (n) SET n.name = 'x' RETURN n", "SET"),
            ("MATCH (n) RETURN m", "m"),
            ("MATCH (n RETURN n", "line 1"),
        ):
            assert word in await refused(client, "code_query", cypher=cypher)
        assert await rows(client, "MATCH (f:Function) RETURN count(f) AS n") == [{"n": 3}]
        help_text = await call(client, "code_query", cypher="")
        assert help_text["labels"]["Class"] == 1 and help_text["help"].count("\nMATCH") >= 3


async def test_an_explosion_is_stopped_while_others_are_answered(program, kitchen):
    for number in range(40):
        imports = "\n".join(f"from m{other} import f{other}" for other in range(40))
        calls = "\n".join(f"    f{other}()" for other in range(40))
        (kitchen / f"m{number}.py").write_text(f"{imports}\ndef f{number}():\n{calls}\n")
    program.ok("scan", str(kitchen))
    async with client_of(program) as client:
        for cypher in (
            "MATCH (a), (b), (c), (d) RETURN count(*)",
            "MATCH (a)-[:CALLS*]->(b) RETURN count(*)",
            "MATCH (a), (b), (c) RETURN a.name, b.name, c.name",
        ):
            text = await refused(client, "code_query", cypher=cypher)
            assert "stopped" in text, text
        assert await rows(client, "RETURN 1 AS one") == [{"one": 1}]


async def test_a_scan_reports_its_progress(program, kitchen):
    for number in range(150):
        (kitchen / f"m{number}.py").write_text(f"def f{number}():\n    pass\n")
    program.ok("scan", "--list")
    with_progress = []

    async def note(progress, total, message):
        with_progress.append((progress, total))

    program.ok("scan", str(kitchen))
    (kitchen / "m1.py").write_text("def g():\n    pass\n")
    async with client_of(program) as client:
        result = await client.call_tool(
            "github_scan", {"action": "scan"}, progress_callback=note
        )
        assert not result.is_error
    assert with_progress and with_progress[-1] == (152.0, 152.0), with_progress
    done = [progress for progress, _ in with_progress]
    assert done == sorted(set(done)), "each report is further than the one before"


async def test_a_read_only_server_does_not_scan(program, kitchen):
    program.ok("scan", str(kitchen))
    (kitchen / "tea.py").unlink()
    async with client_of(program, "--read-only") as client:
        assert "read-only" in await refused(client, "github_scan", action="scan")
        assert (await call(client, "github_scan"))["total_files"] == 2
        assert await rows(client, "MATCH (c:Class) RETURN c.name") == [{"c.name": "Kettle"}]


async def test_repositories_are_scanned_again_by_themselves(program, kitchen):
    config = program.home / "code.toml"
    config.write_text("[code]\ninterval_seconds = 1\n")
    program.settings = {"LOREWELL_CONFIG": str(config)}
    program.ok("scan", str(kitchen))
    async with client_of(program) as client:
        (kitchen / "new.py").write_text("def fresh():\n    pass\n")
        await eventually(client, "MATCH (f:Function {name: 'fresh'}) RETURN f.name")


async def test_a_scan_beside_the_server_is_seen_by_it(program, kitchen):
    async with client_of(program) as client:
        assert await rows(client, "MATCH (n) RETURN n") == []
        program.ok("scan", str(kitchen))
        await eventually(client, "MATCH (c:Class {name: 'Kettle'}) RETURN c.name")
        program.ok("scan", "--remove", "kitchen")
        assert await rows(client, "MATCH (n) RETURN n") == []


def test_a_killed_scan_goes_on_where_it_was(program, tmp_path, serve):
    """What was stored before the kill is intact."""
    folder = tmp_path / "large"
    folder.mkdir()
    for number in range(600):
        (folder / f"m{number}.py").write_text(
            "".join(f"def f{number}_{i}(x):\n    return f{number}_{i + 1}(x)\n" for i in range(20))
        )
    server = serve()
    with server.client() as http:
        http.post("/compat/koi/github/repos", json={"repo_url": str(folder)}).raise_for_status()
        try:
            http.post("/compat/koi/github/scan", timeout=0.5)
        except Exception:  # noqa: BLE001 - the timeout is intended
            pass
    server.kill()
    assert "all is well" in program.ok("doctor")
    program.ok("scan")
    server.start()
    with server.client() as http:
        ask = {"cypher": "MATCH (f:Function) RETURN count(f)"}
        counted = http.post("/compat/koi/code/query", json=ask).json()
    assert counted["results"] == [{"c1": "12000"}]


def test_what_is_mounted_into_a_folder_is_left_out(program, kitchen):
    """Nothing else is left out, even if the mounted folder would have been left out anyway."""
    for name in ("other", "target"):
        (kitchen / name).mkdir()
    script = (
        'mount -t tmpfs none "$0/target" && mount -t tmpfs none "$0/other" &&'
        ' echo "x = 1" > "$0/other/x.py" && exec "$@"'
    )
    apart = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, str(kitchen)]
    if subprocess.run([*apart, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount anything")
    scan = [*apart, *program.command("scan", str(kitchen))]
    done = subprocess.run(scan, env=program.environment(), capture_output=True, text=True)
    assert "2 of 2 files read" in done.stdout, done


def test_a_stopped_scan_says_so_at_once(program, tmp_path, serve):
    """The status of a scan that was told to end changes at once, without waiting for a timeout."""
    folder = tmp_path / "large"
    folder.mkdir()
    functions = "".join(f"def f{i}(x):\n    return f{i + 1}(x)\n" for i in range(40))
    for number in range(2_000):
        (folder / f"m{number}.py").write_text(f"# {number}\n{functions}")
    server = serve()
    with server.client() as http:

        def repository():
            return http.get("/compat/koi/github/status").json()["repos"][0]

        http.post("/compat/koi/github/repos", json={"repo_url": str(folder)}).raise_for_status()
        scan = program.start("scan")
        deadline = time.monotonic() + PATIENCE
        while not http.get("/compat/koi/github/files").json()["count"]:
            assert time.monotonic() < deadline and scan.poll() is None, repository()
        assert repository()["status"] == "scanning"
        scan.terminate()
        _, said = scan.communicate(timeout=PATIENCE)
        assert scan.returncode != 0 and "stopped" in said, said
        left = repository()
        assert left["status"] == "interrupted" and left["file_count"] > 0, left
    ask = json.dumps({"cypher": "MATCH (f:File) RETURN count(f) AS n"})
    answer = json.loads(program.ok("call", "code_query", ask))
    assert answer["results"] == [{"n": left["file_count"]}]


def test_the_status_tells_that_git_is_at_work(program, host, serve):
    """Asked while the other side keeps git waiting."""
    program.settings = {
        "LOREWELL_WEB_REACHABLE": f"127.0.0.1:{host.port}",
        "GIT_SSL_CAINFO": str(host.certificate),
    }
    host.open.clear()
    server = serve()
    with server.client() as http, server.client() as other:
        body = {"repo_url": host.address("slow.git"), "repo_name": "slow"}
        http.post("/compat/koi/github/repos", json=body).raise_for_status()
        with ThreadPoolExecutor() as beside:
            scan = beside.submit(http.post, "/compat/koi/github/scan")
            deadline = time.monotonic() + PATIENCE
            while not host.asked:
                assert time.monotonic() < deadline
            status = other.get("/compat/koi/github/status").json()
            assert status["running"] and status["repos"][0]["status"] == "cloning", status
            listed = program.ok("scan", "--list")
            assert "being cloned" in listed, listed
            host.open.set()
            done = scan.result(timeout=PATIENCE).json()
        assert "git failed" in json.dumps(done), done
        status = other.get("/compat/koi/github/status").json()
        assert not status["running"] and status["repos"][0]["status"] == "error", status


def test_who_may_do_what_over_http(program, kitchen, serve):
    allowed = kitchen.parent / "allowed"
    allowed.mkdir()
    (allowed / "a.py").write_text("def a(): pass\n")
    config = program.home / "code.toml"
    config.write_text(f'[code]\npaths = ["{allowed}"]\n')
    program.settings = {"LOREWELL_CONFIG": str(config)}
    program.ok("scan", str(kitchen))
    gm, player = program.token("gm", "bob"), program.token("player", "alice")
    server = serve()

    def post(token, path, body):
        with server.client(Authorization=f"Bearer {token}") as http:
            return http.post(f"/compat/koi/{path}", json=body)

    assert post(player, "github/repos", {"repo_url": str(allowed)}).status_code == 403
    assert post(player, "github/scan", {}).status_code == 403
    assert post(player, "code/query", {"cypher": "MATCH (n) RETURN n"}).json()["count"] == 0
    for source in (str(kitchen), "/etc", f"{allowed}/../kitchen", "git@example.org:a/b"):
        refusal = post(gm, "github/repos", {"repo_url": source})
        assert refusal.status_code == 403, (source, refusal.text)
    added = post(gm, "github/repos", {"repo_url": str(allowed)}).json()
    assert added["status"] == "added" and added["repo_name"] == "allowed"
    done = post(gm, "github/scan?repo_name=allowed", {}).json()
    assert done["results"][0]["code_entities"] == 1
    answer = post(gm, "code/query", {"cypher": "MATCH (f:Function {name:'a'}) RETURN f.name, 1"})
    assert answer.json()["results"] == [{"c1": '"a"', "c2": "1"}]
    # Anybody's name can be put on a token, even the owner's; that gives no access to this machine.
    owner = program.token("owner", "owner")
    for source in (str(kitchen), "/etc", str(kitchen / "missing"), "git@example.org:a/b"):
        refusal = post(owner, "github/repos", {"repo_url": source})
        assert refusal.status_code == 403, (source, refusal.text)
    bad = post(gm, "code/query", {"cypher": "MATCH (n) DELETE n"})
    assert bad.status_code == 400 and "DELETE" in bad.json()["detail"]


def test_the_command_line_names_what_is_wrong(program, kitchen, tmp_path):
    """Errors name the files that were left out, command line flags in their own spelling, and
    limits of zero."""
    (kitchen / "huge.py").write_text("x = 1\n" * 100_000)
    said = program.run("scan", str(kitchen), "--name", "me/kitchen")
    assert said.returncode == 0, said
    assert '1 left out\n  left out "huge.py": it has 600000 bytes' in said.stdout, said.stdout
    other = tmp_path / "other"
    other.mkdir()
    taken = program.run("scan", str(other), "--name", "me/kitchen")
    assert taken.returncode != 0 and "--name" in taken.stderr, taken
    assert "repo_name" not in taken.stderr, taken
    config = tmp_path / "lorewell.toml"
    for limit in ("max_rows", "max_seconds"):
        config.write_text(f"[code]\n{limit} = 0\n")
        refusal = program.run("--config", str(config), "scan", "--list")
        assert refusal.returncode != 0 and f"code.{limit} is 0" in refusal.stderr, refusal
