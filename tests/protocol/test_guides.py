"""The conversations of the guides in docs/ work as written there."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from harness.pages import ARTICLE, page_server

DOCS = Path(__file__).parents[2] / "docs"
GUIDES = ["play", "memory", "pages", "knowledge", "atlas"]
PAGE = "https://example.org/herring"
"""A URL in the guides; the test replaces it with one of its own."""


def conversation(guide: str) -> list[tuple[str, str, list[str]]]:
    """Returns the calls in a guide's first block: tool, arguments, and the parts that the answer
    has."""
    block = (DOCS / f"{guide}.md").read_text().split("```text")[1].split("```")[0]
    calls = re.findall(r"^(\w+) +(\{.*?\}) *(?:→(.*))?$", re.sub(r"\n +", " ", block), re.MULTILINE)
    assert len(calls) > 5, block
    return [(tool, arguments, promised(held)) for tool, arguments, held in calls]


def promised(held: str) -> list[str]:
    """Returns the parts that an answer must contain. An id is cut off at the ellipsis."""
    return [part.strip().removesuffix("…") for part in held.split(",") if part.strip()]


class Talk:
    """The ids in the answers so far, by their placeholders."""

    def __init__(self):
        self.ids: dict[str, str] = {}

    def filled(self, arguments: str) -> str:
        """Returns the arguments with the placeholders replaced by ids of earlier answers."""
        for place, id in self.ids.items():
            arguments = arguments.replace(place, id)
        assert "…" not in arguments and "<id of" not in arguments, arguments
        return arguments

    def heard(self, answer: dict) -> None:
        """Keeps the id of what an answer is about."""
        thing = answer.get("data") or answer
        for key in ("id", "node_id"):
            if isinstance(id := thing.get(key), str):
                self.ids[f"{id.rsplit('_', 1)[0]}_…"] = id
                self.ids[f"<id of {thing.get('title') or thing.get('name')}>"] = id


def holds(answer: str, part: str) -> bool:
    """Whether an answer contains a text, or a field with a value."""
    field, _, value = part.partition(" ")
    return part in answer or f'"{field}": {value}' in answer or f'"{field}": "{value}' in answer


@pytest.mark.parametrize("guide", GUIDES)
def test_the_conversation_of_a_guide_works_as_typed(program, guide):
    """Each call is a process of its own; every answer contains what the guide says."""
    (program.home / "vault").mkdir()
    with page_server() as pages:
        address = pages.put("/herring", ARTICLE)
        program.settings = {
            "VAULT_PATH": str(program.home / "vault"),
            "LOREWELL_WEB_REACHABLE": pages.address,
        }
        talk = Talk()
        for tool, arguments, parts in conversation(guide):
            given = talk.filled(arguments).replace(PAGE, address)
            answer = program.ok("--toolsets", "all", "call", tool, given)
            missing = [part for part in parts if not holds(answer, part)]
            assert not missing, (tool, missing, answer)
            talk.heard(json.loads(answer) if answer.startswith("{") else {})


def entries(client: str) -> list[str]:
    """Returns the entries that docs/clients.md shows for a client: over stdio and over HTTP."""
    page = (DOCS / "clients.md").read_text()
    section = page.split(f"`lorewell connect {client}`. ")[1].split("\n## ")[0]
    return re.findall(r"```(?:json|toml)\n(.*?)\n```", section, re.DOTALL)


def test_every_client_is_shown_as_it_is_connected(program):
    """The page shows each entry verbatim."""

    def connect(*arguments: str) -> str:
        command = [program.binary, "connect", *arguments]
        done = subprocess.run(command, env=program.environment(), capture_output=True, text=True)
        return done.stdout.replace(program.binary, "/path/to/lorewell").rstrip()

    known = re.findall(r"^ +- ([\w-]+):", connect("--help"), re.MULTILINE)
    assert len(known) > 6
    for client in known:
        assert [connect(client), connect(client, "--http")] == entries(client), client
