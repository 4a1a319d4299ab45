"""A KOI-net node that only makes calls, written from the protocol's description."""

import base64
import hashlib
import json
from datetime import UTC, datetime

import httpx2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def compact(value) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


class Caller:
    """Sends signed messages to one node."""

    def __init__(self, http: httpx2.Client, target: str, name: str = "caller"):
        self.http = http
        self.target = target
        self.key = ec.generate_private_key(ec.SECP256R1())
        form = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
        self.public = base64.b64encode(self.key.public_key().public_bytes(*form)).decode()
        self.rid = f"orn:koi-net.node:{name}+{hashlib.sha256(self.public.encode()).hexdigest()}"

    def sealed(self, payload) -> str:
        unsigned = {"payload": payload, "source_node": self.rid, "target_node": self.target}
        text = compact(unsigned)
        halves = decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        signature = b"".join(half.to_bytes(32, "big") for half in halves)
        return compact({**unsigned, "signature": base64.b64encode(signature).decode()})

    def post(self, path: str, body: str) -> httpx2.Response:
        headers = {"content-type": "application/json"}
        return self.http.post(f"/koi-net/{path}", content=body.encode(), headers=headers)

    def say(self, *events: dict) -> httpx2.Response:
        payload = {"type": "events_payload", "events": list(events)}
        return self.post("events/broadcast", self.sealed(payload))

    def ask(self, path: str, payload: dict) -> dict:
        answer = self.post(path, self.sealed(payload))
        assert answer.status_code == 200, answer.text
        return answer.json()["payload"]

    def about(self, rid: str, contents: dict) -> dict:
        # Sorted keys equal canonical JSON as long as keys and values are plain.
        canonical = json.dumps(contents, separators=(",", ":"), sort_keys=True)
        manifest = {
            "rid": rid,
            "timestamp": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
            "sha256_hash": hashlib.sha256(canonical.encode()).hexdigest(),
        }
        return {"rid": rid, "event_type": "NEW", "manifest": manifest, "contents": contents}

    def introduce(self) -> httpx2.Response:
        profile = {"node_type": "PARTIAL", "provides": {"event": [], "state": []}}
        return self.say(self.about(self.rid, {**profile, "public_key": self.public}))

    def subscribe(self, *rid_types: str) -> httpx2.Response:
        ends = hashlib.sha256((self.target + self.rid).encode()).hexdigest()
        edge = {
            "source": self.target,
            "target": self.rid,
            "edge_type": "POLL",
            "status": "PROPOSED",
            "rid_types": list(rid_types),
        }
        return self.say(self.about(f"orn:koi-net.edge:{ends}", edge))

    def rids(self) -> list[str]:
        return self.ask("rids/fetch", {"type": "fetch_rids", "rid_types": []})["rids"]

    def bundle(self, rid: str) -> dict | None:
        reply = self.ask("bundles/fetch", {"type": "fetch_bundles", "rids": [rid]})
        assert bool(reply["bundles"]) != (reply["not_found"] == [rid]), reply
        return reply["bundles"][0]["contents"] if reply["bundles"] else None

    def poll(self) -> list[dict]:
        return self.ask("events/poll", {"type": "poll_events", "limit": 0})["events"]
