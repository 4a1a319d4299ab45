"""The official conformance suite passes, both with its fixtures and, as far as it needs none,
without."""

import json
import os
import re
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest

from harness.program import Program

SUITE = "@modelcontextprotocol/conformance/dist/index.js"
REVISIONS = ("2025-11-25", "2026-07-28")

# Scenarios that need no fixtures: the product itself must pass them.
PRODUCT = {
    "2025-11-25": (
        "server-initialize",
        "server-session-lifecycle",
        "logging-set-level",
        "ping",
        "completion-complete",
        "tools-list",
        "server-sse-polling",
        "server-sse-multiple-streams",
        "resources-list",
        "prompts-list",
        "dns-rebinding-protection",
    ),
    "2026-07-28": (
        "server-stateless",
        "completion-complete",
        "tools-list",
        "server-sse-multiple-streams",
        "resources-list",
        "sep-2164-resource-not-found",
        "prompts-list",
        "dns-rebinding-protection",
        "caching",
        "http-header-validation",
        "input-required-result-unsupported-methods",
        "input-required-result-validate-input",
    ),
}

# Single checks in those scenarios that do need a fixture.
NEEDS_FIXTURE = {
    "server-sse-disconnect-resume",
    "sep-2575-server-rejects-undeclared-capability",
    "sep-2575-missing-capability-http-400",
    "sep-2575-http-server-no-independent-requests-on-stream",
    "sep-2575-server-no-log-without-loglevel",
}

# The folder of a scenario's checks, for example server-ping-2026-11-15T22-07-25-776Z.
FOLDER = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")

PASSED = ("SUCCESS", "INFO", "SKIPPED")


class Suite:
    """Runs the suite and parses its reports."""

    def __init__(self, node: str, packages: Path, home: Path):
        self.node = node
        self.script = packages / SUITE
        self.home = home

    def run(self, server, revision: str) -> dict[str, list[dict]]:
        """Runs the suite for a revision; returns the checks of each scenario."""
        results = self.home / f"results-{revision}"
        # The suite requires the name localhost, because it tests DNS rebinding with it.
        done = subprocess.run(
            [
                self.node,
                self.script,
                "server",
                "--url",
                f"http://localhost:{server.port}/mcp",
                "--suite",
                "all",
                "--spec-version",
                revision,
                "-o",
                results,
            ],
            env=server.program.environment(),
            capture_output=True,
            text=True,
            timeout=300,
        )
        checks = defaultdict(list)
        for file in results.glob("*/checks.json"):
            scenario = FOLDER.fullmatch(file.parent.name)[1]
            checks[scenario] = json.loads(file.read_text())
        assert checks, f"the suite did not run: {done.stdout}{done.stderr}"
        return checks


def failures(checks: list[dict]) -> list[str]:
    failing = (check for check in checks if check["status"] not in PASSED)
    return [
        f"{check['id']} ({check['status']}): {check.get('errorMessage', '')}" for check in failing
    ]


@pytest.fixture(scope="module")
def suite(node, node_packages, tmp_path_factory):
    def make(name):
        return Suite(node, node_packages, tmp_path_factory.mktemp(name))

    return make


@pytest.fixture(scope="module")
def product(suite, shared):
    """The suite's reports on the product, by revision."""
    runs = suite("product")
    return {revision: runs.run(shared, revision) for revision in REVISIONS}


@pytest.mark.parametrize(
    ("revision", "scenario"),
    [(revision, scenario) for revision in REVISIONS for scenario in PRODUCT[revision]],
)
def test_the_product_passes(product, revision, scenario):
    """A scenario that needs no fixture passes with the released product."""
    checks = [c for c in product[revision][scenario] if c["id"] not in NEEDS_FIXTURE]
    assert checks, "the scenario did not run"
    assert failures(checks) == []


@pytest.fixture(scope="module")
def fixtures(tmp_path_factory):
    """A server with the fixtures that the suite asks for."""
    binary = os.environ.get("LOREWELL_CONFORMANCE")
    if not binary:
        pytest.skip("LOREWELL_CONFORMANCE is not set: no binary with the suite's fixtures")
    server = Program(binary, tmp_path_factory.mktemp("fixtures")).serve()
    yield server
    assert server.is_running(), server.log()
    server.kill()


@pytest.mark.parametrize("revision", REVISIONS)
def test_everything_passes_with_fixtures(suite, fixtures, revision):
    """Every check of every scenario passes."""
    results = suite("fixtures").run(fixtures, revision)
    failing = {scenario: failures(checks) for scenario, checks in results.items()}
    assert {name: found for name, found in failing.items() if found} == {}
    expected = {"2025-11-25": 33, "2026-07-28": 40}
    assert len(results) == expected[revision], "all scenarios of the revision ran"
