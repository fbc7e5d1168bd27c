// A registry as an MCP server: an agent of ours is one of its tools, and the agent of somebody else calls it.
import { createSession, defineTool, memoryStore, prompt, ToolRegistry } from '@x/agent-sdk';
import { serve } from '@x/agent-sdk/http';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

const { provider, model, stop } = await serviceOr(script);
const store = memoryStore();
const countStock = defineTool({
  name: 'count_stock',
  description: 'Counts how many of an item there are',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] },
  kind: 'readonly',
  execute: async () => '7',
});

const registry = new ToolRegistry();
registry.register(
  {
    name: 'ask-warehouse',
    description: 'Asks the agent of the warehouse, in plain words',
    parameters: [{ name: 'question', type: 'string', description: 'the question', required: true }],
  },
  async ({ question }, context) => {
    const systemPrompt = 'You are the agent of the warehouse.';
    const signal = context?.signal; // a caller that cancels ends the run
    const options = { provider, model, store, systemPrompt, tools: [countStock], allowedTools: ['count_stock'] };
    const { result } = await prompt(question, { ...options, ...(signal ? { signal } : {}) });
    return result;
  },
);
const token = crypto.randomUUID();
const server = await serve({ registry, token, port: 0, logLevel: 'fatal', mcp: { name: 'warehouse' } });

const url = `${server.url}/mcp`;
const session = await createSession({
  provider,
  model,
  store,
  systemPrompt: 'You are the agent of the shop.',
  mcpServers: { warehouse: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } },
  mcpStartWait: 30_000, // nothing can be asked without it
  autoApprove: ['mcp__warehouse__ask-warehouse'],
});
await session.send('How many lamps can we sell?');
for await (const event of session.stream()) {
  if (event.type === 'content') process.stdout.write(event.delta);
  if (event.type === 'tool_use') console.log(`\n● ${event.name} ${JSON.stringify(event.input)}`);
  if (event.type === 'tool_result') console.log(`  ⎿ ${event.output}`);
  if (event.type === 'error') process.exitCode = 1;
}
await session.close();
await server.close();
await stop();
console.log('\nclosed');
