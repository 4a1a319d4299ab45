"""KOI-net nodes: Lorewell's own, and those of the reference implementation."""

import json
import os
import queue
import socket
import subprocess
import threading
from pathlib import Path

from harness.program import PATIENCE, Program, Server

PEER = Path(__file__).with_name("koi_peer.py")
ENTITY = "orn:lorewell.entity"
PRACTICE = "orn:koi-net.practice"


def free_port() -> int:
    """Returns a port that is free now. A node announces its port to others, so it must be known
    before the node starts."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Lorewell:
    """A Lorewell server with federation enabled."""

    def __init__(self, binary: str, home: Path, **table):
        self.program = Program(binary, home)
        self.port = free_port()
        table = {"enabled": True, "private_network": True, "approve": "anyone", **table}
        lines = [f"{name} = {json.dumps(value)}" for name, value in table.items()]
        self.config = home / "lorewell.toml"
        home.mkdir(parents=True, exist_ok=True)
        self.config.write_text("[federation]\n" + "\n".join(lines) + "\n")
        self.server: Server | None = None

    def start(self) -> "Lorewell":
        if self.server is None:
            at = f"127.0.0.1:{self.port}"
            self.server = self.program.serve("--http-addr", at, "--config", str(self.config))
        else:
            self.server.start()
        return self

    def kill(self) -> None:
        if self.server and self.server.is_running():
            self.server.kill()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/koi-net"

    def health(self) -> dict:
        with self.server.client() as http:
            answer = http.get("/koi-net/health")
            assert answer.status_code == 200, answer.text
            return answer.json()

    @property
    def rid(self) -> str:
        return self.health()["node"]["node_rid"]

    def command(self, *arguments: str) -> str:
        return self.program.ok("federation", *arguments, "--config", str(self.config))

    def call(self, tool: str, arguments: dict) -> dict:
        """Calls a tool as the owner, in another process than the running server."""
        done = self.program.ok("call", tool, json.dumps(arguments))
        return json.loads(done)

    def peer(self, rid: str) -> dict | None:
        return next((peer for peer in self.health()["peers"] if peer["node_rid"] == rid), None)


class Reference:
    """A node of the reference implementation, in the version installed in `python`'s
    environment."""

    def __init__(self, python: str, home: Path, kind: str, name: str, **wanted):
        self.python = python
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        self.port = free_port()
        self.wanted = {
            "kind": kind,
            "name": name,
            "port": self.port,
            "provides": [],
            "wants": ["orn:koi-net.node"],
            **wanted,
        }
        self.start()

    def start(self) -> None:
        self.errors = (self.home / "stderr.txt").open("ab")
        self.process = subprocess.Popen(
            [self.python, str(PEER), str(self.home), json.dumps(self.wanted)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
            cwd=self.home,
            env={"PATH": os.environ["PATH"], "HOME": str(self.home), "PRIV_KEY_PASSWORD": "x"},
        )
        self.answers: queue.Queue = queue.Queue()
        self.reader = threading.Thread(target=self._read, args=(self.process.stdout,))
        self.reader.start()
        self.rid = self.answer()["rid"]

    def _read(self, stdout) -> None:
        with (self.home / "stdout.txt").open("a") as log, stdout:
            for line in stdout:
                if line.startswith("KOI "):
                    self.answers.put(json.loads(line[4:]))
                else:
                    log.write(line)

    def answer(self):
        return self.answers.get(timeout=PATIENCE)

    def ask(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()
        return self.answer()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/koi-net"

    def put(self, rid: str, contents: dict) -> None:
        self.ask(do="put", rid=rid, contents=contents)

    def forget(self, rid: str) -> None:
        self.ask(do="forget", rid=rid)

    def cache(self) -> dict[str, dict]:
        return self.ask(do="cache")

    def is_running(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(timeout=PATIENCE)
        self.reader.join()
        self.process.stdin.close()
        self.errors.close()
