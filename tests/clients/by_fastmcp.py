"""The client of `fastmcp` lists and calls every tool in both eras, on the committed sample project."""

import asyncio
import logging
import sys
import warnings

from fastmcp import Client

import real

# A schema that the client rejects is a failure, not a line in a log. Messages of the client about itself are not.
warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)


class Complaints(logging.Handler):
    """Warnings and errors in the logs of the client's libraries."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []
        for name in (None, "fastmcp"):
            logging.getLogger(name).addHandler(self)

    def emit(self, record):
        self.said.append(record.getMessage())


async def main():
    complaints = Complaints()
    for era in ("legacy", "2026-07-28"):
        with real.Samples(sys.argv[1]) as samples:
            async with Client(samples.url, mode=era) as client:
                listed = [tool.name for tool in await client.list_tools()]
                assert listed == samples.names, listed
                for tool, arguments in samples.right():
                    # It raises for a failed call, and for a structure that does not match the published schema.
                    result = await client.call_tool(tool, arguments)
                    assert result.structured_content and result.content, (tool, result)
                    samples.heard(result.structured_content)
                for tool, arguments, must_fail in samples.wrong():
                    result = await client.call_tool(tool, arguments, raise_on_error=False)
                    code = (result.structured_content or {}).get("error", {}).get("code", "?")
                    is_error = result.is_error and result.content[0].text.startswith(f"{code}: ")
                    assert is_error or not must_fail, (tool, arguments, result)
            assert not complaints.said, complaints.said
            print(f"  fastmcp, {era}: {len(listed)} tools listed and called")


asyncio.run(main())
