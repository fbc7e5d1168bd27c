// Runs the session until it has ended or waits, then ends its process. Run by main.ts; arguments: the file, and the session to go on with.
import { appendFileSync } from 'node:fs';
import { createSession, defineTool, objectSchema, resumeSession, sqliteStore } from '@x/agent-sdk';

const [path = '', sessionId] = process.argv.slice(2);
const baseUrl = process.env['OPENAI_BASE_URL'];
const pay = defineTool({
  name: 'pay',
  description: 'Pays a supplier.',
  kind: 'execute',
  inputSchema: objectSchema({
    supplier: { type: 'string', description: 'Who is paid.' },
    euros: { type: 'integer', description: 'How much.' },
  }),
  execute: async ({ supplier, euros }) => {
    appendFileSync(`${path}.paid`, `${supplier} ${euros}\n`);
    return `Paid ${euros} euros to ${supplier}.`;
  },
});

const store = sqliteStore({ path });
const options = {
  provider: { type: 'openai-compatible', ...(baseUrl ? { baseUrl } : {}) },
  model: process.env['MODEL'] ?? 'gpt-4o-mini',
  store,
  tools: [pay],
  allowedTools: ['pay', 'AskUser'],
  askUser: true,
  alwaysAsk: ['pay'],
  askPolicy: 'wait', // nobody is at this process: what needs a person waits for one
} as const;
const session = await (sessionId ? resumeSession({ ...options, sessionId }) : createSession(options));
if (!sessionId) await session.send('Order the lamps, and pay the bills.');
for await (const event of session.stream()) {
  if (event.type === 'tool_result') console.log(`  ${event.name}: ${event.output}`);
  if (event.type === 'result') console.log(`  ${event.subtype}${event.content ? `: ${event.content}` : ''}`);
}
process.send?.(session.sessionId);
await session.close();
await store[Symbol.asyncDispose]();
