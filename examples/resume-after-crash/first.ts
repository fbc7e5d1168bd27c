// The process that is killed: it tells its parent the id of its session, and each effect as soon as it has happened.
import { createSession, sqliteStore } from '@x/agent-sdk';
import { officeTools } from './office.ts';

const [database = '', ledger = ''] = process.argv.slice(2);
const baseUrl = process.env['OPENAI_BASE_URL'];
const store = sqliteStore({ path: database });
const session = await createSession({
  provider: { type: 'openai-compatible', ...(baseUrl ? { baseUrl } : {}) },
  model: process.env['MODEL'] ?? 'gpt-4o-mini',
  store,
  tools: officeTools(ledger, (effect) => process.send?.({ effect })),
  allowedTools: ['pay', 'write_letter'],
});
process.send?.({ sessionId: session.sessionId });
await session.send('Pay invoice 17 of ACME, 40 euros, and write to them.');
for await (const event of session.stream()) {
  if (event.type === 'tool_use') console.log(`● ${event.name} ${JSON.stringify(event.input)}`);
}
await session.close();
await store[Symbol.asyncDispose]();
