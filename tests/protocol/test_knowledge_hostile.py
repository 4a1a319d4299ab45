"""Addresses that lead inside and paths that lead outside, through the tools that take them."""

import itertools

import pytest
from mcp import Client, StdioServerParameters

from harness.pages import ARTICLE, page_server
from harness.program import PATIENCE

pytestmark = pytest.mark.anyio

HOSTS = (
    "127.0.0.1",
    "127.0.0.2",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
    "0",
    "0.0.0.0",
    "127.0.0.1.",
    "127。0。0。1",
    "１２７.0.0.1",
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "[::1]",
    "[::]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::127.0.0.1]",
    "[64:ff9b::127.0.0.1]",
    "[2002:7f00:1::]",
)
SHAPES = (
    "http://{host}:{port}/secret",
    "HTTP://{host}:{port}/secret",
    " http://{host}:{port}/secret\t",
    "http:\\\\{host}:{port}\\secret",
    "http:/{host}:{port}/secret",
    "http://example.org@{host}:{port}/secret",
    "{host}:{port}/secret",
    "https://{host}:{port}/secret?url=https://example.org/",
)
OTHERS = ("file:///etc/passwd", "gopher://127.0.0.1/", "javascript:alert(1)", "", "http://", "//")
STEPS = ("..", "../..", "a/../..", "./..", "..\\..", "a\\..\\..", "....//..", "..%2f..", "%2e%2e")
ENDS = ("secret.md", "secret", "new.md", "vault-secret/x.md", "etc/passwd", "\0.md")
WHOLE = ("/", "//", "\\", "C:\\", "~/", "file:///", "\\\\host\\share\\", "//host/share/")


@pytest.fixture
def anyio_backend():
    return "asyncio"


def client_of(program):
    command, *arguments = program.command()
    target = StdioServerParameters(command=command, args=arguments, env=program.environment())
    return Client(target, read_timeout_seconds=PATIENCE)


async def test_no_spelling_of_an_address_leads_inside(program):
    """Each of the four tools refuses every hostile address, and no connection is made."""
    with page_server() as pages:
        pages.put("/secret", ARTICLE)
        port = pages.address.rsplit(":", 1)[1]
        urls = [s.format(host=h, port=port) for s, h in itertools.product(SHAPES, HOSTS)]
        urls += OTHERS
        assert len(urls) >= 200
        async with client_of(program) as client:
            for url in urls:
                for tool, extra in (
                    ("preview_url", {}),
                    ("process_url", {}),
                    ("ingest_url", {}),
                    ("monitor_url", {"action": "add"}),
                ):
                    result = await client.call_tool(tool, {"url": url, **extra})
                    assert result.is_error, (tool, url, result)
        assert pages.asked == []


async def test_no_spelling_of_a_path_leads_outside(program):
    """Nothing outside the vault is read, written or listed, and no link is followed."""
    outside = program.home / "outside"
    vault = outside / "vault"
    vault.mkdir(parents=True)
    (outside / "vault-secret").mkdir()
    for place in (outside, outside / "vault-secret"):
        (place / "secret.md").write_text("hush")
    (vault / "link.md").symlink_to(outside / "secret.md")
    (vault / "folder").symlink_to(outside / "vault-secret")
    (vault / "hard.md").hardlink_to(outside / "secret.md")
    paths = [f"{step}/{end}" for step, end in itertools.product(STEPS, ENDS)]
    paths += [f"{step}\\{end}" for step, end in itertools.product(STEPS, ENDS)]
    paths += [f"{start}{end}" for start, end in itertools.product(WHOLE, ENDS)]
    paths += [str(outside / "secret.md"), "link.md", "folder/secret.md", "folder/x.md", "hard.md"]
    assert len(paths) >= 150
    before = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    program.settings = {"VAULT_PATH": str(vault)}
    async with client_of(program) as client:
        for path in paths:
            read = await client.call_tool("vault_read_note", {"path": path})
            assert "hush" not in read.content[0].text, (path, read)
            await client.call_tool("vault_write_note", {"path": path, "content": "mine"})
            listed = await client.call_tool("vault_list_notes", {"folder": path})
            assert listed.is_error or "secret.md" not in listed.content[0].text, (path, listed)
    inside = {path for path in outside.rglob("*") if vault in path.parents}
    after = {path: path.read_bytes() for path in outside.rglob("*") if path.is_file()}
    assert {p: b for p, b in after.items() if p not in inside} == {
        p: b for p, b in before.items() if p not in inside
    }
    assert (outside / "secret.md").read_text() == "hush"
