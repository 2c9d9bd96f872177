// A client of an official TypeScript SDK, driven over standard input: each line is a call ({tool, arguments}), each
// line of the answer is the SDK's result: {result} or {thrown}. The first line of the answer is the list of tools.
//
// node typescript.mjs NODE_MODULES URL sdk|client [ERA]: line 1.x of the SDK, or 2.x in an era of the protocol.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [modules, url, line, era] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(`${modules}/@modelcontextprotocol/${path}`));
const identity = { name: "fumi-tests", version: "1" };

async function connected() {
    if (line === "sdk") {
        const { Client } = await load("sdk/dist/esm/client/index.js");
        const { StreamableHTTPClientTransport } = await load("sdk/dist/esm/client/streamableHttp.js");
        const client = new Client(identity);
        await client.connect(new StreamableHTTPClientTransport(new URL(url)));
        return client;
    }
    const { Client, StreamableHTTPClientTransport } = await load("client/dist/index.mjs");
    const mode = era === "legacy" ? era : { pin: era };
    const client = new Client(identity, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
}

const say = (value) => process.stdout.write(JSON.stringify(value) + "\n");
const client = await connected();
// The SDK checks the structures of tools whose schemas it has listed.
const { tools } = await client.listTools();
say(tools);
for await (const line of createInterface({ input: process.stdin })) {
    const { tool, arguments: given } = JSON.parse(line);
    try {
        say({ result: await client.callTool({ name: tool, arguments: given }) });
    } catch (error) {
        say({ thrown: String(error) });
    }
}
await client.close();
