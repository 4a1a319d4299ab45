"""Runs the program under test: commands, HTTP servers and stdio servers on one data directory."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import httpx2

from harness.pipes import Pipes

LISTENING = "Lorewell is listening at "
PATIENCE = 30.0
"""How many seconds anything may take, even on a busy machine. The tests check that things happen;
the benchmarks check how fast."""


class Program:
    """The binary, with its own data directory and home."""

    def __init__(self, binary: str, home: Path):
        self.binary = binary
        self.home = home
        self.data = home / "data"
        self.store = self.data / "lorewell.sqlite"
        self.settings: dict[str, str] = {}
        """Environment variables for every run of this program."""

    def environment(self, **extra: str) -> dict[str, str]:
        """Returns an environment without the user's own settings."""
        return {"PATH": os.environ["PATH"], "HOME": str(self.home), **self.settings, **extra}

    def command(self, *arguments: str) -> list[str]:
        return [self.binary, "--data", str(self.data), *arguments]

    def run(
        self, *arguments: str, env=None, timeout=PATIENCE, **options
    ) -> subprocess.CompletedProcess:
        """Runs a command to its end. The caller checks the exit code."""
        return subprocess.run(
            self.command(*arguments),
            env=self.environment(**(env or {})),
            capture_output=True,
            text=True,
            timeout=timeout,
            **options,
        )

    def ok(self, *arguments: str, **options) -> str:
        """Runs a command that must succeed and returns what it printed."""
        done = self.run(*arguments, **options)
        assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
        return done.stdout

    def start(self, *arguments: str) -> subprocess.Popen:
        """Starts a command that runs beside the test."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            self.command(*arguments), env=self.environment(), stdout=pipe, stderr=pipe, text=True
        )

    def tools(self, *options: str, env=None) -> list[dict]:
        """Returns the declarations of the tools that are on, including their examples."""
        return json.loads(self.ok("tools", "--json", *options, env=env))

    def token(self, role: str, name: str) -> str:
        """Creates a bearer token and returns it."""
        return self.ok("token", "create", "--role", role, "--name", name).strip()

    def serve(self, *arguments: str, env=None) -> "Server":
        """Starts the HTTP server on a free port."""
        return Server(self, arguments, env or {})

    def stdio(self, *arguments: str, env=None) -> Pipes:
        """Starts the stdio server."""
        return Pipes(self.command(*arguments), self.environment(**(env or {})), self.home)

    def copy(self, home: Path) -> "Program":
        """Returns another installation with a copy of this one's data."""
        other = Program(self.binary, home)
        shutil.copytree(self.data, other.data)
        return other


class Server:
    """A running HTTP server."""

    def __init__(self, program: Program, arguments: tuple[str, ...], env: dict[str, str]):
        self.program = program
        self.arguments = arguments
        self.env = env
        self.errors = program.home / "server-stderr.txt"
        self.start()

    def start(self) -> None:
        """Starts the server, or starts it again after `stop` or `kill`."""
        # A free port, and no rate limit; a test may choose its own.
        chosen = {"--http-addr": "127.0.0.1:0", "--rate-limit": "0"}
        defaults = [part for pair in chosen.items() if pair[0] not in self.arguments for part in pair]
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                self.program.command("serve", *defaults, *self.arguments),
                env=self.program.environment(**self.env),
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        first = self.process.stdout.readline()
        if not first.startswith(LISTENING):
            self.kill()
            raise AssertionError(f"the server did not start: {first}{self.log()}")
        self.url = first.removeprefix(LISTENING).strip()
        self.origin = self.url.removesuffix("/mcp")
        self.port = int(self.origin.rsplit(":", 1)[1])

    def stop(self) -> int:
        """Sends SIGTERM, as a service manager does, and returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self._reaped()

    def kill(self) -> None:
        """Kills the server with SIGKILL."""
        self.process.kill()
        self._reaped()

    def _reaped(self) -> int:
        code = self.process.wait(timeout=PATIENCE)
        self.process.stdout.close()
        return code

    def is_running(self) -> bool:
        return self.process.poll() is None

    def log(self) -> str:
        """Returns what the server has written to stderr so far."""
        return self.errors.read_text(errors="replace")

    def memory(self) -> int:
        """Returns the server's resident memory in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) * 1024

    def client(self, **headers: str) -> httpx2.Client:
        """Returns a plain HTTP client for the server. It skips loading certificates, because there
        is no TLS."""
        return httpx2.Client(
            base_url=self.origin, headers=headers, timeout=PATIENCE, trust_env=False, verify=False
        )

    def is_healthy(self) -> bool:
        with self.client() as http:
            return http.get("/mcp/health").status_code == 200


def call(program: Program, tool: str, **arguments) -> dict:
    """Returns the answer of a tool that must succeed, called in a process of its own."""
    return json.loads(program.ok("call", tool, json.dumps(arguments)))


def until(condition, seconds: float = PATIENCE, pause: float = 0.02):
    """Waits until `condition` returns something true and returns it. After the deadline it returns
    the last value, which is false, so the caller has to check it."""
    deadline = time.monotonic() + seconds
    while True:
        found = condition()
        if found or time.monotonic() > deadline:
            return found
        time.sleep(pause)
