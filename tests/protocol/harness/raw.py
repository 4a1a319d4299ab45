"""Raw HTTP, for requests that no proper client would send."""

import http.client
import json
import socket
from dataclasses import dataclass


@dataclass
class Answer:
    """An HTTP response."""

    status: int
    headers: dict[str, str]
    body: bytes

    def json(self) -> dict:
        return json.loads(self.body)


def request(method: str, target: str, headers: list[tuple[str, str]], body: bytes = b"") -> bytes:
    """Returns the bytes of a request. No header is added except Content-Length."""
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers)]
    if body:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def exchange(port: int, data: bytes, timeout: float = 30) -> Answer | None:
    """Sends bytes on a new connection; returns None if the server closes it without an answer."""
    with socket.create_connection(("127.0.0.1", port), timeout=timeout) as connection:
        try:
            connection.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the server may have answered before reading everything
        return read_answer(connection, method=data.split(b" ", 1)[0].decode("latin-1"))


def read_answer(connection: socket.socket, method: str = "GET") -> Answer | None:
    """Reads one whole response from a connection."""
    response = http.client.HTTPResponse(connection, method=method)
    try:
        response.begin()
        body = response.read()
    except (http.client.BadStatusLine, ConnectionResetError):
        return None
    finally:
        response.close()
    return Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, body)
