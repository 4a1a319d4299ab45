"""Calls the knowledge tools with the official Python client over stdio."""

import contextlib
import json

from mcp import Client, StdioServerParameters

from harness.program import PATIENCE


@contextlib.asynccontextmanager
async def client_of(program, *options):
    command, *arguments = program.command(*options)
    target = StdioServerParameters(command=command, args=arguments, env=program.environment())
    async with Client(target, read_timeout_seconds=PATIENCE) as client:
        yield client


async def call(client, tool, **arguments):
    """Returns the structured answer of a tool that must succeed. The text of the answer must be the
    same as JSON with an indent of two."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, (tool, arguments, result)
    assert result.content[0].text == json.dumps(
        result.structured_content, indent=2, ensure_ascii=False
    )
    return result.structured_content


async def refused(client, tool, **arguments) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error, (tool, arguments, result)
    return result.content[0].text
