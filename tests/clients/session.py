"""The `mcp` client of the session era calls every tool on real source and in each form of results, and is notified of a
change."""

import asyncio
import sys
import tempfile
import warnings

from mcp import ClientSession, types
from mcp.client.streamable_http import streamablehttp_client

import forms
import pages
import real

# A schema that the client rejects is a failure, not a line in a log. Messages of the client about itself are not.
warnings.simplefilter("error")
warnings.simplefilter("ignore", DeprecationWarning)


async def subscribed():
    """Subscribes to a file and to statistics, changes the file, and reads the notifications."""
    folder, told = real.changing(), asyncio.Queue()

    async def hear(message):
        if isinstance(message, types.ServerNotification):
            await told.put(str(message.root.params.uri))

    uris = {real.CHANGING, "code://stats/files"}
    with folder, real.Server(sys.argv[1], [folder.name]) as server:
        async with (
            streamablehttp_client(server.url) as (read, write, _),
            ClientSession(read, write, message_handler=hear) as client,
        ):
            hello = await client.initialize()
            assert hello.capabilities.resources.subscribe and not hello.capabilities.resources.listChanged, hello
            for uri in uris:
                await client.subscribe_resource(uri)
            for text in ("two = 2\n", "three = 3\n"):
                real.change(folder, text)
                heard = {await asyncio.wait_for(told.get(), 30) for _ in uris}
                assert heard == uris, heard
                content = (await client.read_resource(real.CHANGING)).contents[0].text
                assert content == text, content
            await client.unsubscribe_resource(real.CHANGING)
            real.change(folder, "four = 4\n")
            heard = await asyncio.wait_for(told.get(), 30)
            assert heard == "code://stats/files" and told.empty(), heard


async def check_forms():
    """Lists and calls the tools in the other forms of results. Returns True if a result is not as documented."""
    failed = False
    with real.Samples(sys.argv[1]) as samples:
        for form in ("text", "structured"):
            url = samples.url + forms.FORMS[form]
            async with streamablehttp_client(url) as (read, write, _), ClientSession(read, write) as client:
                await client.initialize()

                async def call(tool, arguments):
                    # The client checks every structure against the published schema, and raises.
                    return forms.plain(await client.call_tool(tool, arguments))

                tools = [forms.plain(tool) for tool in (await client.list_tools()).tools]
                failed |= await forms.check("mcp, session era", samples, form, tools, call)
    return failed


async def main():
    folders = real.roots()
    report = real.Report("mcp, session era")
    home = tempfile.TemporaryDirectory()
    novel = real.Novel(home.name)
    with home, real.Server(sys.argv[1], [novel.root, *folders.values()]) as server, pages.Pages() as web:
        novel.write(server.url)
        async with streamablehttp_client(server.url) as (read, write, _), ClientSession(read, write) as client:
            hello = await client.initialize()
            assert hello.serverInfo.name == "fumi" and hello.instructions, hello
            listed = (await client.list_tools()).tools
            for tool in listed:
                assert tool.outputSchema and tool.inputSchema and tool.description and tool.title, tool.name

            async def call(tool, arguments, root):
                try:
                    # The client checks every structure against the published schema, and raises.
                    result = await client.call_tool(tool, arguments)
                except Exception as error:
                    report.error(tool, arguments, error, root)
                    return None
                text = result.content[0].text if result.content else ""
                report.add(tool, arguments, result.isError, text, result.structuredContent, root)
                return result.structuredContent

            for root in folders.values():
                # The first call chooses the project for the session.
                for tool, arguments in real.per_root(root):
                    await call(tool, arguments, root)
                for path in real.sample(root):
                    for tool, arguments in real.per_file(path, real.lines_of(root, path)):
                        await call(tool, arguments, root)
            for tool, arguments in novel.per_tool(sys.argv[1]):
                await call(tool, arguments, novel.root)
            # Downloads of pages are written into the project.
            await call("set_project_path", {"project_path": novel.root}, novel.root)
            for tool, arguments in web.calls():
                web.heard(await call(tool, arguments, novel.root))

            async def bare(tool, arguments):
                result = await client.call_tool(tool, arguments)
                return result.isError, result.content[0].text, result.structuredContent

            await real.refuse(report, sys.argv[1], novel, bare)
    report.end(tool.name for tool in listed)


asyncio.run(subscribed())
asyncio.run(main())
sys.exit(asyncio.run(check_forms()))
