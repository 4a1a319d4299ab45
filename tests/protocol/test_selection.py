"""Which tools are on: by flag, environment variable, configuration file, header and path."""

import pytest

from harness.rpc import answer_of, error_of, message, result_of, tool_names
from harness.web import Modern, Session

TOOLSETS = ("play", "memory", "pages", "knowledge", "atlas", "atlas-write")


@pytest.fixture
def declared(program):
    """The declarations of all tools."""
    return program.tools("--toolsets", "all")


def names_of(tools: list[dict]) -> list[str]:
    return [tool["name"] for tool in tools]


def of_toolset(tools: list[dict], *toolsets: str) -> list[str]:
    return [tool["name"] for tool in tools if tool["toolset"] in toolsets]


def readers(tools: list[dict], names=None) -> list[str]:
    """Returns the names of the tools that only read or have reading actions."""
    return [
        tool["name"]
        for tool in tools
        if (tool["annotations"]["readOnlyHint"] or tool["readingActions"])
        and (names is None or tool["name"] in names)
    ]


def listed_over_stdio(program, *options, env=None) -> list[str]:
    with program.stdio(*options, env=env) as pipes:
        pipes.initialize()
        return tool_names(pipes.request("tools/list"))


def listed_over_http(http, path="/mcp", **headers) -> list[str]:
    return tool_names(
        answer_of(http.post(path, json=message("tools/list"), headers=headers))["result"]
    )


def test_the_default_leaves_out_the_atlas(program, declared):
    """Without a selection, the four default toolsets are on."""
    assert listed_over_stdio(program) == of_toolset(
        declared, "play", "memory", "pages", "knowledge"
    )


@pytest.mark.parametrize("toolset", TOOLSETS)
def test_a_toolset_by_flag(program, declared, toolset):
    """--toolsets NAME turns on the tools of that toolset and no others."""
    assert listed_over_stdio(program, "--toolsets", toolset) == of_toolset(declared, toolset)


def test_toolsets_are_added_up(program, declared):
    """Several toolsets are separated by commas, in any case; `default` and `all` are accepted."""
    assert listed_over_stdio(program, "--toolsets", "Play,atlas") == of_toolset(
        declared, "play", "atlas"
    )
    everything = "default,atlas,atlas-write"
    assert listed_over_stdio(program, "--toolsets", everything) == names_of(declared)
    assert listed_over_stdio(program, "--toolsets", "all") == names_of(declared)


def test_single_tools_by_flag(program):
    """--tools alone turns on only these."""
    assert listed_over_stdio(program, "--tools", "roll_dice,duality_outcome") == [
        "duality_outcome",
        "roll_dice",
    ]


def test_single_tools_add_to_toolsets(program, declared):
    """--tools with --toolsets turns on both."""
    listed = listed_over_stdio(program, "--toolsets", "atlas", "--tools", "roll_dice")
    assert listed == [
        name for name in names_of(declared) if name in (*of_toolset(declared, "atlas"), "roll_dice")
    ]


def test_exclusion_wins(program, declared):
    """--exclude-tools removes a tool, whatever else was selected."""
    listed = listed_over_stdio(
        program, "--toolsets", "play", "--tools", "roll_dice", "--exclude-tools", "roll_dice"
    )
    assert listed == [name for name in of_toolset(declared, "play") if name != "roll_dice"]


def test_read_only_by_flag(program, declared):
    """--read-only turns on exactly the tools that only read or have reading actions."""
    assert listed_over_stdio(program, "--toolsets", "all", "--read-only") == readers(declared)


def test_a_tool_that_is_off_cannot_be_called(program):
    """The error says that it is off, and why."""
    with program.stdio("--tools", "roll_dice") as pipes:
        pipes.initialize()
        error = error_of(
            pipes.ask("tools/call", {"name": "duality_rules_version", "arguments": {}})
        )
        assert error["code"] == -32602 and "duality_rules_version is switched off" in error["message"]
    with program.stdio("--read-only") as pipes:
        pipes.initialize()
        error = error_of(pipes.ask("tools/call", {"name": "create_entities", "arguments": {}}))
        assert error["code"] == -32602 and "read-only is on" in error["message"]


@pytest.mark.parametrize(
    ("variable", "value", "flag"),
    [
        ("LOREWELL_TOOLSETS", "atlas,play", ("--toolsets", "atlas,play")),
        ("LOREWELL_TOOLS", "roll_dice", ("--tools", "roll_dice")),
        ("LOREWELL_EXCLUDE_TOOLS", "roll_dice", ("--exclude-tools", "roll_dice")),
        ("LOREWELL_READ_ONLY", "true", ("--read-only",)),
    ],
)
def test_the_environment_says_the_same(program, variable, value, flag):
    """Each flag has an environment variable, on stdio and for `lorewell tools`."""
    by_flag = listed_over_stdio(program, *flag)
    assert listed_over_stdio(program, env={variable: value}) == by_flag
    assert names_of(program.tools(env={variable: value})) == by_flag


def test_the_flag_wins_over_the_environment(program):
    """Flags take precedence over environment variables."""
    listed = listed_over_stdio(
        program, "--tools", "roll_dice", env={"LOREWELL_TOOLS": "duality_outcome"}
    )
    assert listed == ["roll_dice"]
    assert listed_over_stdio(
        program, "--read-only=false", env={"LOREWELL_READ_ONLY": "true"}
    ) == listed_over_stdio(program)


def test_the_configuration_file_says_the_same(program):
    """tools and exclude_tools in lorewell.toml; flags take precedence over the file."""
    config = program.home / "lorewell.toml"
    config.write_text(
        'tools = ["roll_dice", "duality_outcome"]\nexclude_tools = ["duality_outcome"]\n'
    )
    assert listed_over_stdio(program, "--config", str(config)) == ["roll_dice"]
    listed = listed_over_stdio(program, "--config", str(config), "--tools", "duality_explain")
    assert listed == ["duality_explain"]


@pytest.mark.parametrize("way", ["flag", "environment", "file"])
def test_an_unknown_toolset_stops_the_program(program, way):
    """Exit code 1, and the message has the unknown name and the valid ones; stdout stays empty."""
    config = program.home / "lorewell.toml"
    config.write_text('toolsets = ["plya"]\n')
    done = {
        "flag": lambda: program.run("--toolsets", "plya", input=""),
        "environment": lambda: program.run(env={"LOREWELL_TOOLSETS": "plya"}, input=""),
        "file": lambda: program.run("--config", str(config), input=""),
    }[way]()
    assert done.returncode == 1 and done.stdout == ""
    assert "plya" in done.stderr and all(toolset in done.stderr for toolset in TOOLSETS)


class TestHttp:
    """Selections by a request, on a server that restricts nothing."""

    @pytest.fixture
    def everything(self, shared):
        return shared.program.tools("--toolsets", "all")

    def test_toolsets_by_header(self, web, everything):
        """X-MCP-Toolsets selects toolsets, including those that are not on by default."""
        listed = listed_over_http(web, **{"x-mcp-toolsets": "atlas, play"})
        assert listed == of_toolset(everything, "atlas", "play")

    def test_tools_by_header(self, web):
        """X-MCP-Tools selects only these tools."""
        assert listed_over_http(web, **{"x-mcp-tools": "roll_dice"}) == ["roll_dice"]

    def test_exclusion_by_header(self, web):
        """X-MCP-Exclude-Tools removes tools."""
        assert "roll_dice" not in listed_over_http(web, **{"x-mcp-exclude-tools": "roll_dice"})

    @pytest.mark.parametrize("word", ["true", "1", "yes", "on", "TRUE", "banana"])
    def test_read_only_by_header(self, web, everything, word):
        """X-MCP-Readonly selects the tools that only read; an unknown value counts as true."""
        listed = listed_over_http(web, **{"x-mcp-readonly": word, "x-mcp-toolsets": "all"})
        assert listed == readers(everything)

    @pytest.mark.parametrize("word", ["false", "0", "no", ""])
    def test_not_read_only_by_header(self, web, word):
        """These values turn nothing off."""
        assert listed_over_http(web, **{"x-mcp-readonly": word}) == listed_over_http(web)

    @pytest.mark.parametrize("toolset", TOOLSETS)
    def test_a_toolset_by_path(self, web, everything, toolset):
        """/mcp/x/NAME is a server with one toolset."""
        assert listed_over_http(web, f"/mcp/x/{toolset}") == of_toolset(everything, toolset)

    def test_several_toolsets_by_path(self, web, everything):
        """`all` and `default` also work in the path."""
        assert listed_over_http(web, "/mcp/x/all") == names_of(everything)
        assert listed_over_http(web, "/mcp/x/default") == listed_over_http(web)

    def test_read_only_by_path(self, web, everything):
        """/mcp/readonly and /mcp/x/NAME/readonly offer nothing that writes."""
        default = of_toolset(everything, "play", "memory", "pages", "knowledge")
        assert listed_over_http(web, "/mcp/readonly") == readers(everything, default)
        expected = readers(everything, of_toolset(everything, "play"))
        assert listed_over_http(web, "/mcp/x/play/readonly") == expected

    def test_the_path_wins_over_the_header(self, web, everything):
        """A header cannot extend what the path selects."""
        listed = listed_over_http(web, "/mcp/x/play", **{"x-mcp-toolsets": "atlas"})
        assert listed == of_toolset(everything, "play")

    def test_the_choice_holds_for_calls(self, web):
        """A tool that is not listed cannot be called, with or without sessions."""
        call = message(
            "tools/call", {"name": "roll_dice", "arguments": {"dice": [{"sides": 6, "count": 1}]}}
        )
        refused = web.post("/mcp", json=call, headers={"x-mcp-exclude-tools": "roll_dice"})
        assert error_of(answer_of(refused))["code"] == -32602
        modern = Modern(web, "/mcp/x/atlas")
        assert error_of(answer_of(modern.post("tools/call", call["params"])))["code"] == -32602

    def test_every_request_chooses_anew(self, web):
        """Within a session, each request has its own selection."""
        session = Session(web).open()
        session.headers["x-mcp-tools"] = "roll_dice"
        assert tool_names(session.request("tools/list")) == ["roll_dice"]
        del session.headers["x-mcp-tools"]
        assert len(session.request("tools/list")["tools"]) > 1

    @pytest.mark.parametrize(
        ("path", "headers"),
        [
            ("/mcp", {"x-mcp-toolsets": "plya"}),
            ("/mcp", {"x-mcp-toolsets": "play,plya"}),
            ("/mcp/x/plya", {}),
            ("/mcp/x/plya/readonly", {}),
        ],
    )
    def test_an_unknown_toolset_is_refused(self, web, path, headers):
        """The 400 has the unknown name and the valid ones."""
        answer = web.post(path, json=message("tools/list"), headers=headers)
        assert answer.status_code == 400
        text = answer.text
        assert "plya" in text and all(toolset in text for toolset in TOOLSETS)

    @pytest.mark.parametrize("tool", ["roll_dice", "duality_outcome"])
    def test_a_list_goes_on_in_the_next_line(self, web, tool):
        """If a header occurs twice, both count."""
        lines = [("x-mcp-exclude-tools", "roll_dice"), ("x-mcp-exclude-tools", "duality_outcome")]
        answer = web.post("/mcp", json=message("tools/list"), headers=lines)
        assert tool not in tool_names(result_of(answer_of(answer)))

    @pytest.mark.parametrize("words", [["false", "true"], ["true", "false"], ["\u2713"]])
    def test_in_doubt_nothing_is_written(self, web, everything, words):
        """Contradictions and unknown values select less."""
        lines = [(b"x-mcp-readonly", word.encode()) for word in words]
        lines.append((b"x-mcp-toolsets", b"all"))
        answer = web.post("/mcp", json=message("tools/list"), headers=lines)
        assert tool_names(result_of(answer_of(answer))) == readers(everything)

    @pytest.mark.parametrize(
        ("header", "value"),
        [
            ("x-mcp-exclude-tools", "roll_dice,\u00e9"),
            ("x-mcp-exclude-tools", "rol_dice"),
            ("x-mcp-tools", "rol_dice"),
            ("x-mcp-toolsets", "pl\u00e4"),
        ],
    )
    @pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
    def test_what_cannot_be_meant_is_refused(self, web, header, value, encoding):
        """An unknown name is refused, in any encoding, rather than ignored."""
        lines = [(header.encode(), value.encode(encoding))]
        answer = web.post("/mcp", json=message("tools/list"), headers=lines)
        assert answer.status_code == 400 and answer.json()["error"]["hint"]


class TestUpperBound:
    """A request cannot extend what the server was started with."""

    @pytest.mark.parametrize(
        ("flags", "headers", "path"),
        [
            (("--toolsets", "play"), {"x-mcp-toolsets": "all"}, "/mcp"),
            (("--toolsets", "play"), {}, "/mcp/x/all"),
            (("--tools", "roll_dice"), {"x-mcp-tools": "roll_dice,duality_outcome"}, "/mcp"),
            (("--tools", "roll_dice"), {"x-mcp-toolsets": "play"}, "/mcp"),
            (("--tools", "roll_dice"), {}, "/mcp/x/play"),
            (("--toolsets", "atlas"), {"x-mcp-tools": "roll_dice"}, "/mcp"),
            (("--exclude-tools", "roll_dice"), {"x-mcp-tools": "roll_dice"}, "/mcp"),
            (("--read-only",), {"x-mcp-readonly": "false", "x-mcp-toolsets": "all"}, "/mcp"),
        ],
    )
    def test_a_request_can_only_narrow(self, program, serve, flags, headers, path):
        """Nothing is listed that the flags alone would not allow. With flags that select no
        toolsets, a request may ask for any."""
        bound = set(names_of(program.tools(*flags)))
        if flags[0] in ("--exclude-tools", "--read-only"):
            bound = set(names_of(program.tools("--toolsets", "all", *flags)))
        with serve(*flags).client() as http:
            listed = set(listed_over_http(http, path, **headers))
        assert listed <= bound
