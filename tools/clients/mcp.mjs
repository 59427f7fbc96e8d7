// Calls tools of an MCP server with the client of the TypeScript SDK, which checks structured
// content against the schemas, and prints the answers:
//
//   node mcp.mjs CALLS.json GAMEDEX_KEY COMMAND [ARGUMENT...]
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [calls, GAMEDEX_KEY, command, ...args] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args, env: { ...process.env, GAMEDEX_KEY } }));
const { tools } = await client.listTools();
const answers = [];
for (const call of JSON.parse(readFileSync(calls, "utf8"))) {
  const result = await client.callTool(call);
  if (!result.isError && result.content[0].text !== JSON.stringify(result.structuredContent) &&
      JSON.stringify(sorted(JSON.parse(result.content[0].text))) !== JSON.stringify(sorted(result.structuredContent))) {
    throw new Error(`${call.name}: text and structured content differ`);
  }
  answers.push({ text: result.content[0].text, fails: Boolean(result.isError) });
}
await client.close();
console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), answers }));

// sorted orders the members of objects.
function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}
