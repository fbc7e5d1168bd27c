/** A session of the tool loop, for the parts of `follow.mjs`. */
import { createSession, defineTool, objectSchema } from '@x/agent-sdk';

export const TURNS = 100;

const echo = defineTool({
  name: 'echo',
  description: 'Says it again.',
  kind: 'readonly',
  inputSchema: objectSchema({ text: { type: 'string', description: 'What to say.' } }),
  execute: async ({ text }) => text,
});

export function newSession({ store, origin }) {
  const provider = { type: 'openai-compatible', apiKey: 'x', baseUrl: `${origin}/v1` };
  return createSession({
    provider,
    model: `tools-${TURNS}`,
    store,
    tools: [echo],
    allowedTools: ['echo'],
    maxTurns: TURNS + 10,
  });
}

export async function run(session) {
  await session.send('Go.');
  for await (const event of session.stream()) if (event.type === 'error') throw new Error(event.message);
}

export function cpuUs() {
  const { user, system } = process.cpuUsage();
  return user + system;
}
