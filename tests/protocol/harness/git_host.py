"""A git server over HTTPS on loopback, with a self-signed certificate."""

import datetime
import ipaddress
import os
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class GitHost:
    """Serves every bare repository in a folder with `git http-backend`."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.certificate = folder / "host.pem"
        make_certificate(self.certificate)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate)
        self.asked: list[str] = []
        """The paths that were requested."""
        self.open = threading.Event()
        self.open.set()
        """Requests wait until this is set."""
        self.moved_to: str | None = None
        """The address that all requests are redirected to, if any."""
        handler = type("Handler", (Backend,), {"host": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def port(self) -> int:
        return self.server.server_port

    def address(self, name: str) -> str:
        return f"https://127.0.0.1:{self.port}/{name}"

    def close(self) -> None:
        self.open.set()
        self.server.shutdown()
        self.server.server_close()


class Backend(BaseHTTPRequestHandler):
    """Passes requests to `git http-backend`, as a web server does with CGI programs."""

    host: GitHost

    def do_GET(self) -> None:
        self.host.asked.append(self.path)
        self.host.open.wait()
        if self.host.moved_to:
            self.send_response(302)
            self.send_header("Location", self.host.moved_to + self.path)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        length = int(self.headers.get("Content-Length") or 0)
        variables = {
            "PATH": os.environ["PATH"],
            "GIT_PROJECT_ROOT": str(self.host.folder),
            "GIT_HTTP_EXPORT_ALL": "1",
            "REQUEST_METHOD": self.command,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "CONTENT_TYPE": self.headers.get("Content-Type", ""),
            "CONTENT_LENGTH": str(length),
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
            "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
        }
        done = subprocess.run(
            ["git", "http-backend"],
            env=variables,
            input=self.rfile.read(length),
            capture_output=True,
            check=False,
        )
        head, _, body = done.stdout.partition(b"\r\n\r\n")
        headers = dict(line.split(": ", 1) for line in head.decode().splitlines())
        self.send_response(int(headers.pop("Status", "200 OK").split()[0]))
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_) -> None:
        """Logs nothing, to keep the output of the tests clean."""


def make_certificate(file: Path) -> None:
    """Writes a private key and a self-signed certificate for 127.0.0.1."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.timezone.utc)
    loopback = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([loopback]), critical=False)
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    file.write_bytes(private + certificate.public_bytes(serialization.Encoding.PEM))
