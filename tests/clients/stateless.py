"""The `mcp` client of the stateless era calls every tool on real source and in each form of results, and is notified of a
change."""

import asyncio
import sys
import tempfile
import warnings

from mcp.client.client import Client

import forms
import pages
import real

# A schema that the client rejects is a failure, not a line in a log. Messages of the client about itself are not.
warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)


async def subscribed():
    """Listens for a file and for statistics, changes the file, and reads the notifications."""
    folder = real.changing()
    uris = {real.CHANGING, "code://stats/files"}
    with folder, real.Server(sys.argv[1], [folder.name]) as server:
        async with Client(server.url, mode="2026-07-28") as client:
            async with client.listen(resource_subscriptions=sorted(uris)) as stream:
                assert set(stream.honored.resource_subscriptions) == uris, stream.honored
                for text in ("two = 2\n", "three = 3\n"):
                    real.change(folder, text)
                    heard = {(await asyncio.wait_for(anext(stream), 30)).uri for _ in uris}
                    assert heard == uris, heard
                    content = (await client.read_resource(real.CHANGING)).contents[0].text
                    assert content == text, content
            # Unsupported subscriptions are not accepted; and the stream ends properly with the server.
            async with client.listen(resources_list_changed=True, resource_subscriptions=[real.CHANGING]) as stream:
                assert not stream.honored.resources_list_changed, stream.honored
                server.process.terminate()
                assert [event async for event in stream] == []


async def check_forms():
    """Lists and calls the tools in the other forms of results. Returns True if a result is not as documented."""
    failed = False
    with real.Samples(sys.argv[1]) as samples:
        for form in ("text", "structured"):
            async with Client(samples.url + forms.FORMS[form], mode="2026-07-28") as client:

                async def call(tool, arguments):
                    # The client checks every structure against the published schema, and raises.
                    return forms.plain(await client.call_tool(tool, arguments))

                tools = [forms.plain(tool) for tool in (await client.list_tools()).tools]
                failed |= await forms.check("mcp, stateless era", samples, form, tools, call)
    return failed


async def main():
    folders = real.roots()
    report = real.Report("mcp, stateless era")
    home = tempfile.TemporaryDirectory()
    novel = real.Novel(home.name)
    with home, real.Server(sys.argv[1], [novel.root, *folders.values()]) as server, pages.Pages() as web:
        novel.write(server.url)
        async with Client(server.url, mode="2026-07-28") as client:
            listed = (await client.list_tools()).tools
            for tool in listed:
                assert tool.output_schema and tool.input_schema and tool.description and tool.title, tool.name

            async def call(tool, arguments, root):
                try:
                    # Without a session, every call passes the project.
                    is_bare = tool == "set_project_path" or tool.startswith("browser_") or tool == "batch_execute"
                    given = arguments if is_bare else {**arguments, "project_root": root}
                    result = await client.call_tool(tool, given)
                except Exception as error:
                    report.error(tool, arguments, error, root)
                    return None
                text = result.content[0].text if result.content else ""
                report.add(tool, arguments, result.is_error, text, result.structured_content, root)
                return result.structured_content

            for root in folders.values():
                for tool, arguments in real.per_root(root):
                    await call(tool, arguments, root)
                for path in real.sample(root):
                    for tool, arguments in real.per_file(path, real.lines_of(root, path)):
                        await call(tool, arguments, root)
            for tool, arguments in novel.per_tool(sys.argv[1]):
                await call(tool, arguments, novel.root)
            for tool, arguments in web.calls():
                web.heard(await call(tool, arguments, novel.root))

            async def bare(tool, arguments):
                result = await client.call_tool(tool, arguments)
                return result.is_error, result.content[0].text, result.structured_content

            await real.refuse(report, sys.argv[1], novel, bare)
        async with Client(server.url, mode="auto") as client:
            assert client.protocol_version == "2026-07-28", client.protocol_version
            assert client.server_info.name == "fumi", client.server_info
            assert len((await client.list_tools()).tools) == len(listed)
    report.end(tool.name for tool in listed)


asyncio.run(subscribed())
asyncio.run(main())
sys.exit(asyncio.run(check_forms()))
