"""Messages that are malformed in many ways, derived from valid ones.

A case is a name, the bytes of one message, and the expected answer: a JSON-RPC error with one of
several codes, a tool error that names a field, or any well-formed answer.
"""

import json
from dataclasses import dataclass

from harness.rpc import message

PARSE, REQUEST, METHOD, PARAMS = -32700, -32600, -32601, -32602


@dataclass(frozen=True)
class Case:
    name: str
    line: bytes
    codes: tuple[int, ...] = ()
    """The JSON-RPC error codes that are accepted; empty if any well-formed answer is."""
    field: str = ""
    """The field that the error must name."""
    tool: bool = False
    """Whether the error is a tool result."""


def call(tool: str, arguments) -> dict:
    return message("tools/call", {"name": tool, "arguments": arguments})


OUTCOME = call("duality_outcome", {"hope": 8, "fear": 5, "modifier": 2, "difficulty": 15})


def encoded(value) -> bytes:
    return json.dumps(value).encode()


def truncated() -> list[Case]:
    """Returns a valid message cut off after each of its bytes."""
    whole = encoded(OUTCOME)
    return [Case(f"cut after {at} bytes", whole[:at], (PARSE,)) for at in range(len(whole))]


def no_json() -> list[Case]:
    """Returns lines that are not JSON, or not JSON alone."""
    good = encoded(OUTCOME)
    lines = [
        b"hello",
        b"{",
        b"}",
        b"]",
        b"{]",
        b'{"a"}',
        b'{"a":}',
        b'{"a":1,}',
        b"{'a':1}",
        b"{a:1}",
        b"undefined",
        b"NaN",
        b"Infinity",
        b"-",
        b"01",
        b"1.",
        b".5",
        b"+1",
        b"x10",
        b'"open',
        b'"\\x41"',
        b'"\\u12"',
        b"tru",
        b"nul",
        b"// comment",
        b"/* */ {}",
        b"GET /mcp HTTP/1.1",
        b"Content-Length: 5",
        b"\x1b[2J",
        b"\x7fELF",
        good + b" x",
        good + good,
        good + b"\x00",
        b"\x00" + good,
        good[:-1] + b"]",
        good.replace(b":", b"=", 1),
        good.replace(b",", b";", 1),
        good.replace(b'"', b"'"),
        good.replace(b"8", b"NaN", 1),
        good.replace(b"8", b"Infinity", 1),
        good.replace(b"8", b"-", 1),
        good.replace(b"8", b"0x8", 1),
        good.replace(b"8", b"08", 1),
    ]
    return [Case(f"no JSON: {line[:24]!r}", line, (PARSE,)) for line in lines]


def encodings() -> list[Case]:
    """Returns bytes that are not UTF-8 without a byte order mark, and characters that cause
    trouble."""
    good = json.dumps(message("ping"))
    broken = [
        b"\xef\xbb\xbf" + good.encode(),
        good.encode("utf-16"),
        good.encode("utf-16-le"),
        good.encode("utf-32"),
        good.encode().replace(b"ping", b"\xff\xfe"),
        good.encode().replace(b"ping", b"\xc0\x80"),
        good.encode().replace(b"ping", b"\xed\xa0\x80"),
        good.encode().replace(b"ping", b"\xf5\x80\x80\x80"),
        good.encode().replace(b"ping", b"pi\x00ng"),
        good.encode().replace(b"ping", b"pi\tng"),
        bytes(range(128, 256)),
    ]
    cases = [Case(f"encoding {at}", line, (PARSE,)) for at, line in enumerate(broken)]
    for text in ("a\u0000b", "\u202e", "\U000e0041", "\ufeff", "é" * 100, "\U0001f3b2"):
        cases.append(Case(f"method {text!r:.20}", encoded(message(text)), (METHOD,)))
    return cases


def envelopes() -> list[Case]:
    """Returns messages in which one field of the envelope is wrong or missing."""
    wrong = {
        "jsonrpc": [None, 2, 2.0, "1.0", "2", "", [], {}, True],
        "id": [True, [], {}, [1], {"a": 1}, 1.5, 0.1, 1e300, 2**63, 2**64, -(2**63) - 1],
        "method": [None, 5, True, [], {}, ["ping"]],
        "params": [5, 1.5, "x", True, [], [1], ["name"]],
    }
    cases = []
    for field, values in wrong.items():
        for value in values:
            line = encoded({**message("ping", {}), field: value})
            cases.append(
                Case(
                    f"{field} is {value!r}",
                    line,
                    (REQUEST, PARSE),
                    field=field * (field != "method"),
                )
            )
    for field in ("jsonrpc", "method"):
        body = message("ping", {})
        del body[field]
        cases.append(Case(f"{field} is missing", encoded(body), (REQUEST,), field=field))
    whole = [5, "x", None, True, 1.5, [], [[]], [message("ping")], [message("ping")] * 50, {}]
    cases += [Case(f"a message is {value!r:.30}", encoded(value), (REQUEST,)) for value in whole]
    cases.append(Case("id is NaN", b'{"jsonrpc":"2.0","id":NaN,"method":"ping"}', (PARSE,)))
    cases.append(
        Case("id is 1e400", b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', (REQUEST, PARSE))
    )
    cases.append(Case("request and answer", encoded({**message("ping"), "result": {}}), (REQUEST,)))
    cases.append(Case("request and error", encoded({**message("ping"), "error": {}}), (REQUEST,)))
    cases.append(Case("an empty method", encoded(message("")), (METHOD,)))
    cases.append(
        Case("an unknown method", encoded(message("tools/cal")), (METHOD,), field="tools/cal")
    )
    return cases


def method_params() -> list[Case]:
    """Returns params of each method with required fields missing and with fields of the wrong
    type."""
    reference = {"type": "ref/resource", "uri": "lorewell://world/{world}"}
    good = {
        "tools/call": {"name": "duality_rules_version"},
        "resources/read": {"uri": "lorewell://worlds"},
        "resources/subscribe": {"uri": "lorewell://worlds"},
        "resources/unsubscribe": {"uri": "lorewell://worlds"},
        "prompts/get": {"name": "resolve_action"},
        "completion/complete": {"ref": reference, "argument": {"name": "world", "value": ""}},
        "logging/setLevel": {"level": "info"},
    }
    cases = []
    for method, params in good.items():
        cases.append(
            Case(f"{method} without params", encoded(message(method)), (PARAMS,), field="params.")
        )
        for field in params:
            rest = {name: value for name, value in params.items() if name != field}
            line = encoded(message(method, rest))
            cases.append(
                Case(f"{method} without {field}", line, (PARAMS,), field=f"params.{field}")
            )
            for value in (5, True, [], [1], None):
                line = encoded(message(method, {**params, field: value}))
                cases.append(
                    Case(f"{method}: {field} is {value}", line, (PARAMS,), field=f"params.{field}")
                )
    for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
        line = encoded(message(method, {"cursor": "2"}))
        cases.append(Case(f"{method}: no such page", line, (PARAMS,), field="params.cursor"))
    for value in (5, "x", True, [], [{"hope": 1}]):
        line = encoded(message("tools/call", {"name": "duality_outcome", "arguments": value}))
        cases.append(Case(f"arguments are {value}", line, (PARAMS,), field="params.arguments"))
    for name in ("", "DUALITY_OUTCOME", "duality_outcome ", "../x", "a" * 1000, "\u0000"):
        cases.append(Case(f"tool {name!r:.20}", encoded(call(name, {})), (PARAMS,)))
    for uri in (
        "",
        "x",
        "lorewell://",
        "lorewell://worlds/",
        "lorewell://world/%zz",
        "file:///etc/passwd",
        "http://127.0.0.1/",
        "lorewell://world/../worlds",
        "lorewell://world/" + "a" * 10_000,
    ):
        cases.append(
            Case(f"resource {uri:.24}", encoded(message("resources/read", {"uri": uri})), (-32002,))
        )
    cases.append(
        Case("unknown prompt", encoded(message("prompts/get", {"name": "x"})), (PARAMS,), field="x")
    )
    return cases


def wrong_values(schema: dict) -> list:
    """Returns values that do not match a schema."""
    if "anyOf" in schema:
        return [True, [], {}, -1, 1.5]
    wrong = {
        "integer": ["x", "8", 1.5, True, [], {}, 1e30, 2**63, -(2**63) - 1],
        "number": ["x", True, [], {}],
        "string": [5, True, [], {}],
        "boolean": ["true", 1, [], {}],
        "array": ["x", 5, {}, True],
        "object": ["x", 5, [], True],
    }
    first, *others = kinds(schema)
    values = [value for value in wrong[first] if all(is_in(value, wrong[other]) for other in others)]
    return [*values, "NOPE", ""] if "enum" in schema else values


def kinds(schema: dict) -> list[str]:
    """Returns the JSON types that a schema allows, without null."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return [kind for kind in kinds if kind != "null"]


def is_in(value, wrong: list) -> bool:
    """Whether a list contains a value of the same type."""
    return type(value) in map(type, wrong)


def outside(name: str, schema: dict) -> dict:
    """Returns values of the right type that exceed all limits, with what is wrong with them.
    Schemas declare the limits of the game. Every other integer and string is limited as well,
    except for targets and seeds."""
    values = {}
    if "minimum" in schema:
        values["is too small"] = schema["minimum"] - 1
    if "maximum" in schema:
        values["is too large"] = schema["maximum"] + 1
    if schema.get("type") == "integer" and name not in ("target", "seed"):
        values["is beyond reason"] = 10**12
    if schema.get("type") == "string" and "enum" not in schema:
        values["is far too long"] = "x" * 200_000
    return values


def spoilt(schema: dict, value, path: str = ""):
    """Yields copies of a valid value with one part made invalid, each with the path of that part
    and what is wrong with it."""
    if schema.get("type") == "object" and "properties" in schema:
        properties, required = schema["properties"], schema.get("required", [])
        yield f"{path}no_such_field", "is unknown", {**value, "no_such_field": 1}
        for name, inner in properties.items():
            if name in required:
                rest = {key: kept for key, kept in value.items() if key != name}
                yield f"{path}{name}", "is missing", rest
                yield f"{path}{name}", "is null", {**value, name: None}
            for wrong in wrong_values(inner):
                if (name, wrong) == ("seed", "8"):
                    continue  # a large number may be sent as text
                yield f"{path}{name}", f"is {wrong!r}", {**value, name: wrong}
            # A field that the example leaves out may conflict with one that it has.
            if name in value:
                for how, wrong in outside(name, inner).items():
                    yield f"{path}{name}", how, {**value, name: wrong}
                for where, how, part in spoilt(inner, value[name], f"{path}{name}."):
                    yield where, how, {**value, name: part}
    elif schema.get("type") == "array" and value:
        for where, how, part in spoilt(schema["items"], value[0], path.removesuffix(".") + "[0]."):
            yield where, how, [part, *value[1:]]


def tool_arguments(tools: list[dict]) -> list[Case]:
    """Returns each tool's example with each of its arguments missing, unknown, of the wrong type,
    or out of range."""
    cases = []
    for tool in tools:
        for field, how, arguments in spoilt(tool["inputSchema"], tool["example"]):
            name = f"{tool['name']}: {field} {how}"
            cases.append(Case(name, encoded(call(tool["name"], arguments)), field=field, tool=True))
    return cases


def nesting() -> list[Case]:
    """Returns messages with ten thousand levels of nesting in every place that may hold a value."""
    deep = 10_000
    arrays, objects = b"[" * deep + b"]" * deep, b'{"a":' * deep + b"1" + b"}" * deep
    cases = []
    for kind, value in (("arrays", arrays), ("objects", objects)):
        places = {
            "the message": value,
            "params": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":%s}' % value,
            "id": b'{"jsonrpc":"2.0","id":%s,"method":"ping"}' % value,
            "method": b'{"jsonrpc":"2.0","id":1,"method":%s}' % value,
            "an argument": encoded(call("duality_outcome", {"hope": "@"})).replace(b'"@"', value),
            "_meta": b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"a":%s}}}'
            % value,
        }
        for place, line in places.items():
            cases.append(Case(f"{deep} {kind} in {place}", line, (REQUEST, PARSE)))
            cases.append(
                Case(f"{kind} in {place}, never closed", line[: len(line) // 2], (PARSE, REQUEST))
            )
    unknown = b'{"jsonrpc":"2.0","id":1,"method":"ping","extra":%s}' % arrays
    return [*cases, Case("in an unknown field", unknown)]


def duplicates() -> list[Case]:
    """Returns messages that contain the same key twice, at several depths."""
    good = encoded(message("ping", {}))
    cases = [
        Case(
            f"{key} twice",
            good.replace(b"{", b'{"%s": %s, ' % (key.encode(), value), 1),
            (REQUEST,),
            field=key,
        )
        for key, value in (
            ("jsonrpc", b'"2.0"'),
            ("id", b"2"),
            ("method", b'"ping"'),
            ("params", b"{}"),
        )
    ]
    named = encoded(OUTCOME).replace(b'"name":', b'"name": "roll_dice", "name":')
    cases.append(Case("tool name twice", named, (REQUEST,), field="params.name"))
    twice = encoded(OUTCOME).replace(b'"hope": 8', b'"hope": 8, "hope": 9')
    cases.append(Case("argument twice", twice, (REQUEST,), field="params.arguments.hope"))
    deep = encoded(call("roll_dice", {"dice": [{"sides": 6}]})).replace(b'"sides": 6', b'"sides": 6, "sides": 8')
    return [*cases, Case("argument twice inside", deep, (REQUEST,), field="arguments.dice[0].sides")]


def sizes() -> list[Case]:
    """Returns messages that are as large as possible in each dimension."""
    big = "x" * 1_000_000
    pool = {"sides": 6, "count": 1}
    return [
        Case("a long method", encoded(message(big)), (METHOD,)),
        Case("a long id", encoded({**message("ping"), "id": big})),
        Case("a long tool name", encoded(call(big, {})), (PARAMS,)),
        Case(
            "a long argument name",
            encoded(call("duality_rules_version", {big: 1})),
            field="xxx",
            tool=True,
        ),
        Case(
            "a long argument",
            encoded(call("duality_outcome", {"hope": big, "fear": 1})),
            field="hope",
            tool=True,
        ),
        Case(
            "many arguments",
            encoded(call("duality_rules_version", {str(n): n for n in range(40_000)})),
            tool=True,
        ),
        Case(
            "many pools",
            encoded(call("roll_dice", {"dice": [pool] * 10_000})),
            field="dice",
            tool=True,
        ),
        Case(
            "many numbers",
            encoded(call("roll_dice", {"dice": list(range(40_000))})),
            field="dice[0]",
            tool=True,
        ),
        Case(
            "more values than any call needs",
            encoded(call("roll_dice", {"dice": list(range(300_000))})),
            codes=(-32600,),
            field="50000 values",
        ),
        Case(
            "a long number",
            b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"duality_outcome",'
            b'"arguments":{"hope":' + b"9" * 100_000 + b',"fear":1}}}',
            (PARSE, REQUEST),
        ),
        Case("much space", encoded(message("ping")) + b" " * 3_000_000),
        Case(
            "3.9 MiB of text",
            encoded(call("roll_dice", {"dice": "y" * 4_089_000})),
            field="dice",
            tool=True,
        ),
    ]


def unanswered() -> list[bytes]:
    """Returns notifications and unsolicited answers: none of them gets an answer or has an
    effect."""
    messages = [
        message("no/such", id=None),
        message("tools/call", {"name": "roll_dice"}, id=None),
        message("tools/list", {}, id=None),
        message("notifications/no_such", {}, id=None),
        message("notifications/cancelled", {"requestId": 999}, id=None),
        message("notifications/cancelled", {"requestId": 999, "reason": "x" * 10_000}, id=None),
        message("notifications/progress", {"progressToken": 1, "progress": 1}, id=None),
        message("notifications/roots/list_changed", id=None),
        {"jsonrpc": "2.0", "id": 999, "result": {}},
        {"jsonrpc": "2.0", "id": "x", "result": {"a": 1}},
        {"jsonrpc": "2.0", "id": 999, "error": {"code": 1, "message": "x"}},
    ]
    return [encoded(body) for body in messages]
