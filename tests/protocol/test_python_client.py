"""The official Python SDK works with Lorewell over both transports, with and without sessions."""

import contextlib
import json

import pytest
from mcp import Client, ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from harness.rpc import MODERN
from harness.stage import Stage
from harness.web import Session

# Ways to connect (transport and mode of the client), each with the revision that is negotiated.
WAYS = {
    "http-legacy": "2025-11-25",
    "http-auto": MODERN,
    "stdio-legacy": "2025-11-25",
    "stdio-auto": MODERN,
}

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture(params=WAYS)
def way(request):
    return request.param


def pipe_to(program) -> StdioServerParameters:
    command, *arguments = program.command()
    return StdioServerParameters(command=command, args=arguments, env=program.environment())


@contextlib.asynccontextmanager
async def connected(way, shared):
    """A client of the SDK, connected in this way."""
    transport, mode = way.split("-")
    target = shared.url if transport == "http" else pipe_to(shared.program)
    async with Client(target, mode=mode, read_timeout_seconds=30) as client:
        yield client


def json_of(model) -> dict:
    return model.model_dump(mode="json", by_alias=True, exclude_none=True)


async def test_the_newest_common_revision_is_spoken(shared, way):
    """`legacy` negotiates the newest revision with sessions, `auto` the newest of all."""
    async with connected(way, shared) as client:
        assert client.protocol_version == WAYS[way]
        assert client.server_info.name == "lorewell"
        assert "lorewell://worlds" in client.instructions


async def test_tools_are_listed_as_declared(shared, way):
    """Names, schemas and hints arrive as the program declares them."""
    declared = {tool["name"]: tool for tool in shared.program.tools()}
    async with connected(way, shared) as client:
        listed = (await client.list_tools()).tools
    assert [tool.name for tool in listed] == list(declared)
    for tool in map(json_of, listed):
        for key in ("title", "description", "inputSchema", "outputSchema"):
            assert tool[key] == declared[tool["name"]][key], (tool["name"], key)
        hints = {**tool["annotations"]}
        hints.pop("title")
        assert hints == declared[tool["name"]]["annotations"]


async def test_every_tool_answers_its_example(shared, web, way):
    """The SDK validates each answer against the tool's output schema."""
    session = Session(web).open()
    async with connected(way, shared) as client:
        await client.list_tools()
        # set_context comes last: it changes what the others may do.
        for tool in sorted(shared.program.tools(), key=lambda tool: tool["name"] == "set_context"):
            # Each example gets its own stage, because some end sessions and fork campaigns.
            arguments = Stage(session, shared.page).filled(tool["example"])
            result = await client.call_tool(tool["name"], arguments)
            assert not result.is_error, (tool["name"], result)
            # Notes are returned as plain text.
            if not tool["name"].startswith("vault_"):
                assert json.loads(result.content[0].text) == result.structured_content


async def test_a_tool_error_is_a_result(shared, way):
    """A wrong argument gives a result that names the field, not an exception."""
    async with connected(way, shared) as client:
        result = await client.call_tool("duality_outcome", {"hope": 13, "fear": 5})
        assert result.is_error
        assert result.structured_content["field"] == "hope"
        assert "hope is 13" in result.content[0].text


async def test_an_unknown_tool_is_an_exception(shared, way):
    """Calling a tool that does not exist is a protocol error."""
    async with connected(way, shared) as client:
        with pytest.raises(MCPError, match="no_such_tool"):
            await client.call_tool("no_such_tool", {})


async def test_resources_are_listed_and_read(shared, way):
    """The list of worlds is listed and can be read."""
    async with connected(way, shared) as client:
        listed = (await client.list_resources()).resources
        assert "lorewell://worlds" in [str(resource.uri) for resource in listed]
        (content,) = (await client.read_resource("lorewell://worlds")).contents
        assert json.loads(content.text)["worlds"][0]["name"] == "Main"


async def test_templates_are_listed_filled_and_completed(shared, way):
    """A template is listed, its variable completed, and the result read."""
    async with connected(way, shared) as client:
        templates = (await client.list_resource_templates()).resource_templates
        uris = [template.uri_template for template in templates]
        assert "lorewell://world/{world}" in uris
        reference = ResourceTemplateReference(type="ref/resource", uri="lorewell://world/{world}")
        completed = await client.complete(reference, {"name": "world", "value": "ma"})
        assert completed.completion.values == ["Main"]
        (content,) = (await client.read_resource("lorewell://world/Main")).contents
        assert json.loads(content.text)["world"]["name"] == "Main"


async def test_a_missing_resource_is_an_exception_that_helps(shared, way):
    """The error names the URI and what exists instead."""
    async with connected(way, shared) as client:
        with pytest.raises(MCPError, match="Nowhere") as caught:
            await client.read_resource("lorewell://world/Nowhere")
        assert "Main" in str(caught.value), "the worlds there are"


async def test_prompts_are_listed_and_opened(shared, way):
    """A prompt's arguments become part of its text."""
    async with connected(way, shared) as client:
        prompts = (await client.list_prompts()).prompts
        (prompt,) = [found for found in prompts if found.name == "resolve_action"]
        required = [argument.name for argument in prompt.arguments if argument.required]
        assert required == ["action"]
        opened = await client.get_prompt("resolve_action", {"action": "climb the wall"})
        assert "climb the wall" in opened.messages[0].content.text


async def test_a_prompt_argument_is_completed(shared, way):
    """The answer is a list of suggestions, which may be empty; never an error."""
    async with connected(way, shared) as client:
        reference = PromptReference(type="ref/prompt", name="resolve_action")
        answer = await client.complete(reference, {"name": "modifier", "value": ""})
        assert isinstance(answer.completion.values, list)


async def test_the_revision_can_be_pinned(shared):
    """A client that uses 2026-07-28 without negotiation works at once."""
    async with Client(shared.url, mode=MODERN, read_timeout_seconds=30) as client:
        result = await client.call_tool("duality_rules_version", {})
        assert result.structured_content["rules_version"] == "1.0.0"


async def test_a_plain_session_over_stdio(shared):
    """stdio_client and ClientSession, as most programs for the SDK use them."""
    async with stdio_client(pipe_to(shared.program)) as streams:
        async with ClientSession(*streams) as session:
            opened = await session.initialize()
            assert opened.server_info.name == "lorewell"
            result = await session.call_tool(
                "duality_probability", {"modifier": 2, "difficulty": 15}
            )
            assert result.structured_content["success_count"] == 84


async def test_a_plain_session_over_http(shared):
    """streamable_http_client and ClientSession; leaving ends the session without complaint."""
    async with streamable_http_client(shared.url) as streams:
        async with ClientSession(*streams) as session:
            await session.initialize()
            result = await session.call_tool(
                "duality_probability", {"modifier": 2, "difficulty": 15}
            )
            assert result.structured_content["failure_count"] == 60


@pytest.mark.filterwarnings("ignore:ping is removed")
async def test_pings_are_answered_in_the_old_era(shared):
    """ping exists up to 2025-11-25."""
    for target in (shared.url, pipe_to(shared.program)):
        async with Client(target, mode="legacy", read_timeout_seconds=30) as client:
            await client.send_ping()


def test_the_lists_are_the_same_over_stdio_and_http(shared, web):
    """tools, resources, templates and prompts are listed identically."""
    session = Session(web).open()
    with shared.program.stdio() as pipes:
        pipes.initialize()
        for method in ("tools/list", "resources/list", "resources/templates/list", "prompts/list"):
            over_stdio, over_http = pipes.request(method), session.request(method)
            assert json.dumps(over_stdio) == json.dumps(over_http), method
