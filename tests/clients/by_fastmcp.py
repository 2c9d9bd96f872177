"""The client of `fastmcp` lists and calls every tool in both eras and in each form of results, on the committed sample
project."""

import asyncio
import logging
import sys
import warnings

from fastmcp import Client

import forms
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
    failed = False
    for era in ("legacy", "2026-07-28"):
        with real.Samples(sys.argv[1]) as samples:
            for form, query in forms.FORMS.items():
                async with Client(samples.url + query, mode=era) as client:

                    async def call(tool, arguments):
                        # It raises for a structure that does not match the published schema.
                        result = await client.call_tool(tool, arguments, raise_on_error=False)
                        structure = result.structured_content
                        return {
                            "content": [forms.plain(block) for block in result.content],
                            "isError": result.is_error,
                            **({} if structure is None else {"structuredContent": structure}),
                        }

                    tools = [forms.plain(tool) for tool in await client.list_tools()]
                    failed |= await forms.check(f"fastmcp, {era}", samples, form, tools, call)
                assert not complaints.said, complaints.said
    return failed


sys.exit(asyncio.run(main()))
