"""A node of the reference implementation that is controlled over pipes. It runs in its own virtual
environment, with the version of `koi-net` that is installed there.

The first argument is the node's directory, the second its configuration as JSON. Each line on stdin
is a command; each answer is a line on stdout that starts with `KOI `.
"""

import json
import sys
from pathlib import Path

from koi_net.config import (
    FullNodeConfig,
    FullNodeProfile,
    KoiNetConfig,
    NodeContact,
    NodeProvides,
    PartialNodeConfig,
    PartialNodeProfile,
    ServerConfig,
)
from koi_net.core import FullNode, PartialNode
from koi_net.protocol import EventType
from rid_lib import RID, RIDType
from rid_lib.ext import Bundle

root, wanted = Path(sys.argv[1]), json.loads(sys.argv[2])


def types(names: list[str]) -> list[RIDType]:
    return [RIDType.from_string(name) for name in names]


def koi_net(profile) -> KoiNetConfig:
    contact = wanted.get("first_contact") or {}
    return KoiNetConfig(
        node_name=wanted["name"],
        node_profile=profile,
        rid_types_of_interest=types(wanted["wants"]),
        first_contact=NodeContact(rid=contact.get("rid"), url=contact.get("url")),
    )


provides = NodeProvides(event=types(wanted["provides"]), state=types(wanted["provides"]))

if wanted["kind"] == "coordinator":
    from koi_net_coordinator_node.config import CoordinatorConfig
    from koi_net_coordinator_node.core import CoordinatorNode

    class Config(CoordinatorConfig):
        server: ServerConfig = ServerConfig(port=wanted["port"])

    class Node(CoordinatorNode):
        config_schema = Config

elif wanted["kind"] == "full":

    class Config(FullNodeConfig):
        server: ServerConfig = ServerConfig(port=wanted["port"])
        koi_net: KoiNetConfig = koi_net(FullNodeProfile(provides=provides))

    class Node(FullNode):
        config_schema = Config

else:

    class Config(PartialNodeConfig):
        koi_net: KoiNetConfig = koi_net(PartialNodeProfile(provides=provides))

    class Node(PartialNode):
        config_schema = Config


def say(answer) -> None:
    print("KOI", json.dumps(answer), flush=True)


def cached(node) -> dict:
    found = {}
    for rid in node.cache.list_rids():
        bundle = node.cache.read(rid)
        if bundle:
            found[str(rid)] = bundle.contents
    return found


def run() -> None:
    node = Node(root_dir=root)
    node.start()
    say({"rid": str(node.identity.rid), "key": node.identity.profile.public_key})
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "put":
            bundle = Bundle.generate(RID.from_string(command["rid"]), command["contents"])
            node.kobj_queue.push(bundle=bundle)
            say("queued")
        elif command["do"] == "forget":
            node.kobj_queue.push(
                rid=RID.from_string(command["rid"]), event_type=EventType.FORGET
            )
            say("queued")
        elif command["do"] == "cache":
            say(cached(node))


run()
