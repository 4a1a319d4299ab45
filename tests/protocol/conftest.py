"""Fixtures that run the real binary, each with its own data directory."""

import os
from pathlib import Path

import pytest

from harness.pages import ARTICLE, page_server
from harness.program import Program
from harness.table import Cast, Game


@pytest.fixture(scope="session")
def binary() -> str:
    """The path of the binary that `cargo xtask test protocol` built."""
    return os.environ["LOREWELL"]


@pytest.fixture
def program(binary, tmp_path) -> Program:
    """The program with an empty data directory."""
    return Program(binary, tmp_path)


@pytest.fixture
def serve(program):
    """A function that starts servers on the test's data directory; they are killed when the test
    ends."""
    started = []

    def start(*arguments, env=None):
        server = program.serve(*arguments, env=env)
        started.append(server)
        return server

    yield start
    for server in started:
        if server.is_running():
            server.kill()


@pytest.fixture
def server(serve):
    """A server for this test alone."""
    return serve()


@pytest.fixture
def http(server):
    """A plain HTTP client for `server`."""
    with server.client() as client:
        yield client


@pytest.fixture(scope="module")
def shared(binary, tmp_path_factory):
    """A server shared by the tests of a file; for tests that leave nothing behind on it."""
    program = Program(binary, tmp_path_factory.mktemp("shared"))
    vault = program.home / "vault"
    (vault / "People").mkdir(parents=True)
    (vault / "People" / "Thorin.md").write_text("# Thorin\n")
    with page_server() as pages:
        program.settings = {"VAULT_PATH": str(vault), "LOREWELL_WEB_REACHABLE": pages.address}
        running = program.serve()
        running.page = pages.put("/herring", ARTICLE)
        yield running
        assert running.is_running(), f"the server ended: {running.log()}"
        running.kill()


@pytest.fixture(scope="module")
def web(shared):
    """A plain HTTP client for the shared server."""
    with shared.client() as client:
        yield client


@pytest.fixture(scope="session")
def node() -> str:
    """The path of Node, which comes with a Python package."""
    return os.environ["NODE"]


@pytest.fixture(scope="session")
def node_packages() -> Path:
    """The folder with the installed Node packages."""
    return Path(os.environ["NODE_PACKAGES"])


@pytest.fixture(scope="module")
def cast(binary, tmp_path_factory):
    """A game master, two players and a reader with tokens, shared by the tests of a file."""
    cast = Cast(Program(binary, tmp_path_factory.mktemp("cast")))
    yield cast
    cast.close()


@pytest.fixture
def game(cast):
    """A campaign of the cast, new for each test."""
    return Game(cast)
