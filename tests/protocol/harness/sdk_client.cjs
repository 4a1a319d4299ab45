// Lists the tools and makes calls with the TypeScript SDK; prints what came as JSON.
// Arguments: the folder of the Node packages, then `http URL` or `stdio COMMAND...`; calls
// are read from stdin as a list of {name, arguments}.

const { createRequire } = require("node:module");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");

const [packages, way, ...target] = process.argv.slice(2);
const load = createRequire(join(packages, "index.js"));
const sdk = (path) => load(`@modelcontextprotocol/sdk/client/${path}.js`);

function transport() {
  if (way === "http") {
    const { StreamableHTTPClientTransport } = sdk("streamableHttp");
    return new StreamableHTTPClientTransport(new URL(target[0]));
  }
  const { StdioClientTransport } = sdk("stdio");
  const [command, ...args] = target;
  return new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
}

async function main() {
  const { Client } = sdk("index");
  const client = new Client({ name: "checks", version: "0" });
  await client.connect(transport());
  // From the list the client learns the schemas that it holds answers against.
  const { tools } = await client.listTools();
  const answers = [];
  for (const call of JSON.parse(readFileSync(0, "utf8"))) {
    const told = (error) => ({ thrown: String(error) });
    answers.push(await client.callTool(call).catch(told));
  }
  await client.close();
  console.log(JSON.stringify({ tools: tools.map((tool) => tool.name), answers }));
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
