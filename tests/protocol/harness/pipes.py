"""A small JSON-RPC client for a stdio server."""

import itertools
import json
import queue
import subprocess
import threading
from pathlib import Path

from harness.rpc import initialize_params, result_of


class Pipes:
    """A running stdio server. Everything that it prints is kept in `lines`."""

    def __init__(self, command: list[str], env: dict[str, str], home: Path):
        self.errors = home / "stdio-stderr.txt"
        with self.errors.open("ab") as errors:
            self.process = subprocess.Popen(
                command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors
            )
        self.lines: list[bytes] = []
        self._arrived: queue.Queue[bytes | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._ids = itertools.count(1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self._reader.join(timeout=30)
        self.process.stdout.close()
        if not self.process.stdin.closed:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass

    def _read(self) -> None:
        for line in self.process.stdout:
            self.lines.append(line)
            self._arrived.put(line)
        self._arrived.put(None)

    def send_bytes(self, line: bytes) -> None:
        """Sends a line unchanged."""
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def send(self, message: dict) -> None:
        """Sends a message."""
        self.send_bytes(json.dumps(message).encode())

    def receive(self, timeout: float = 30) -> dict:
        """Returns the next message from the server."""
        line = self._arrived.get(timeout=timeout)
        assert line is not None, f"the server left: {self.log()}"
        return json.loads(line)

    def ask(self, method: str, params: dict | None = None) -> dict:
        """Sends a request and returns the whole answer."""
        number = next(self._ids)
        message = {"jsonrpc": "2.0", "id": number, "method": method}
        self.send(message if params is None else {**message, "params": params})
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                return answer

    def request(self, method: str, params: dict | None = None) -> dict:
        """Sends a request that must succeed and returns its result."""
        return result_of(self.ask(method, params))

    def initialize(self, version: str = "2025-11-25") -> dict:
        """Opens the session."""
        result = self.request("initialize", initialize_params(version))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return result

    def close(self) -> int:
        """Closes stdin, as a client does when it leaves, and returns the exit code."""
        self.process.stdin.close()
        return self.process.wait(timeout=30)

    def log(self) -> str:
        """Returns what the server has written to stderr."""
        return self.errors.read_text(errors="replace")
