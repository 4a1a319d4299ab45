"""Who is notified of changes outside the table: those for whom something reads differently
afterwards, and nobody else."""

import contextlib
import time

import pytest

from harness.table import Listener, Seat, listening
from harness.web import Modern, Session

MEMORY = ["kn://status", "kn://memories", "kn://projects"]


@pytest.fixture
def people(program, serve):
    """HTTP clients of four people, by name."""
    roles = {"olga": "owner", "alice": "player", "bob": "player", "ray": "reader"}
    tokens = {name: program.token(role, name) for name, role in roles.items()}
    server = serve("--toolsets", "all,atlas-write")
    with contextlib.ExitStack() as opened:
        yield {name: opened.enter_context(server.client(authorization=f"Bearer {token}"))
               for name, token in tokens.items()}


@contextlib.contextmanager
def ears(people, *uris: str):
    """Listeners for resource updates of each person, with a session and without one, by name."""
    with contextlib.ExitStack() as opened:
        heard = {}
        for name, client in people.items():
            seat = Seat(Session(client).open())
            seat.subscribe(*uris)
            stream = opened.enter_context(Modern(client).listen({"resourceSubscriptions": list(uris)}))
            stream.next_named("notifications/subscriptions/acknowledged")
            heard[name] = [opened.enter_context(listening(seat.client)), Listener(stream)]
        # A write right after subscribing may cause one extra notification, because there is nothing
        # to compare with yet.
        time.sleep(2)
        yield heard


def test_private_memories_make_no_sound_for_others(people):
    owner = Seat(Session(people["olga"]).open())
    with ears(people, *MEMORY) as heard:
        owner.do("kn_experience", action="save", type="gotcha", content="Hush", visibility="private")
        owner.do("kn_graph", action="add", name="Vexing", type="concept", visibility="private")
        owner.do("kn_intel", action="learn", type="decision", content="Not a word", confidence="high")
        owner.do("kn_project", action="create", name="Quiet", goals=["silence"])
        for listener in heard["olga"]:
            for uri in MEMORY:
                listener.wait_for(uri)
        # A change that everybody sees comes last: any earlier notification would have arrived by
        # then.
        owner.do("create_entities", entities=[{"entity_type": "location", "name": "Mill", "is_hidden": False}])
        for name in ("alice", "bob", "ray"):
            for listener in heard[name]:
                listener.wait_for("kn://status")
                assert set(listener.uris()) == {"kn://status"}, name
                assert listener.uris().count("kn://status") == 1, name


def test_a_new_page_is_heard_by_those_who_see_it(people):
    owner = Seat(Session(people["olga"]).open())
    make = lambda name, hidden: owner.do("create_entities", entities=[
        {"entity_type": "location", "name": name, "is_hidden": hidden}])
    with ears(people, "kn://status") as heard:
        make("Den", True)
        for listener in heard["olga"]:
            listener.wait_for("kn://status")
        make("Mill", False)
        for name in ("alice", "ray"):
            for listener in heard[name]:
                listener.wait_for("kn://status")
                assert listener.uris() == ["kn://status"], name


def test_an_article_is_heard_when_it_changes_and_not_when_another_does(people):
    owner = Seat(Session(people["olga"]).open())
    one, other = (owner.do("create_article", title=title, content="x", template="person", state="public")["data"]
                  for title in ("Ann", "Bea"))
    with ears(people, one["url"], "kn://status") as heard:
        owner.do("create_article", title="Cid", content="x", template="person", state="public")
        for name, listeners in heard.items():
            for listener in listeners:
                listener.wait_for("kn://status")
                assert one["url"] not in listener.uris(), name
        owner.do("update_article", article_id=other["id"], content="y")
        owner.do("update_article", article_id=one["id"], content="y")
        for listeners in heard.values():
            for listener in listeners:
                listener.wait_for(one["url"])
