"""Fixtures: the real binary, each with a data directory of its own."""

import os
from pathlib import Path

import pytest

from harness.pages import ARTICLE, page_server
from harness.program import Program
from harness.table import Cast, Game


@pytest.fixture(scope="session")
def binary() -> str:
    """The product, as `cargo xtask test protocol` built it."""
    return os.environ["LOREWELL"]


@pytest.fixture
def program(binary, tmp_path) -> Program:
    """The program with an empty data directory."""
    return Program(binary, tmp_path)


@pytest.fixture
def serve(program):
    """Starts servers on the test's data directory; they end with the test."""
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
    """A server of the test's own."""
    return serve()


@pytest.fixture
def http(server):
    """A plain HTTP client of that server."""
    with server.client() as client:
        yield client


@pytest.fixture(scope="module")
def shared(binary, tmp_path_factory):
    """A server for all tests of a file that leave no trace on it."""
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
    """A plain HTTP client of the shared server."""
    with shared.client() as client:
        yield client


@pytest.fixture(scope="session")
def node() -> str:
    """Node, from the Python package that carries it."""
    return os.environ["NODE"]


@pytest.fixture(scope="session")
def node_packages() -> Path:
    """Where the Node packages are installed."""
    return Path(os.environ["NODE_PACKAGES"])


@pytest.fixture(scope="module")
def cast(binary, tmp_path_factory):
    """The people of a table, each with a token, for all tests of a file."""
    cast = Cast(Program(binary, tmp_path_factory.mktemp("cast")))
    yield cast
    cast.close()


@pytest.fixture
def game(cast):
    """A campaign of theirs, new for each test."""
    return Game(cast)
