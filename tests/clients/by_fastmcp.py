"""The client of `fastmcp` lists and calls every tool in both eras, on the committed sample project."""

import asyncio
import json
import logging
import os
import shutil
import sys
import tempfile
import warnings

from fastmcp import Client

import pages
import real

# A schema that the client finds fault with is a failure, not a line in a log. What the client says of itself is not.
warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)

FIXTURE = os.path.join(os.path.dirname(__file__), "..", "fixtures", "project")
ROOT = "/absolute/path/of/an/allowed/project"


class Complaints(logging.Handler):
    """What the client's libraries write into their logs as warnings or worse."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []
        for name in (None, "fastmcp"):
            logging.getLogger(name).addHandler(self)

    def emit(self, record):
        self.said.append(record.getMessage())


async def main():
    complaints = Complaints()
    program = sys.argv[1]
    catalogue = json.loads(real.said(program, "tools", "--json"))
    with tempfile.TemporaryDirectory() as home:
        root = os.path.join(os.path.realpath(home), "project")
        shutil.copytree(FIXTURE, root)
        novel = real.Novel(home)
        with real.Server(program, [root, novel.root]) as server, pages.Pages() as web:
            novel.write(server.url)
            for era in ("legacy", "2026-07-28"):
                async with Client(server.url, mode=era) as client:
                    listed = [tool.name for tool in await client.list_tools()]
                    assert listed == [tool["name"] for tool in catalogue], listed
                    for tool, arguments in web.calls():
                        result = await client.call_tool(tool, arguments)
                        assert result.structured_content and result.content, (tool, result)
                        web.heard(result.structured_content)
                    for tool in (tool for tool in catalogue if tool["toolset"] != "browser"):
                        example = novel.example(tool) or json.loads(json.dumps(tool["example"]).replace(ROOT, root))
                        # It raises for a failed call, and for a structure that is not as published.
                        result = await client.call_tool(tool["name"], example)
                        assert result.structured_content and result.content, (tool["name"], result)
                    for tool, arguments in novel.commands():
                        result = await client.call_tool(tool, arguments)
                        assert result.structured_content and result.content, (tool, result)
                    for tool, example in real.examples(program, novel):
                        for arguments, must_fail in real.wrong(example):
                            result = await client.call_tool(tool, arguments, raise_on_error=False)
                            code = (result.structured_content or {}).get("error", {}).get("code", "?")
                            is_error = result.is_error and result.content[0].text.startswith(f"{code}: ")
                            assert is_error or not must_fail, (tool, arguments, result)
                assert not complaints.said, complaints.said
                print(f"  fastmcp, {era}: {len(listed)} tools listed and called")


asyncio.run(main())
