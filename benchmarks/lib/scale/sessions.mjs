import { createSession, defineTool, objectSchema } from '@x/agent-sdk';
import { postgresStore } from '@x/agent-sdk/postgres';
import { SYSTEM_PROMPT } from '../../drivers/parts/shared.mjs';
import { PAYLOAD } from '../../server/script.mjs';

/** The options of a session of the scripted model that makes so many turns with a call. */
export function optionsOf({ origin, turns }) {
  const echo = defineTool({
    name: 'echo',
    description: 'Says it again.',
    kind: 'readonly',
    inputSchema: objectSchema({ text: { type: 'string', description: 'What to say.' } }),
    execute: async ({ text }) => {
      if (text !== PAYLOAD) throw new Error('a call with other arguments');
      return text;
    },
  });
  return {
    provider: { type: 'openai-compatible', apiKey: 'x', baseUrl: `${origin}/v1` },
    model: `tools-${turns}`,
    tools: [echo],
    allowedTools: ['echo'],
    maxTurns: turns + 10,
    systemPrompt: SYSTEM_PROMPT,
  };
}

/** Ours, with a session for each run. */
export async function createSessions({ url, origin, turns }) {
  const store = postgresStore({ connectionString: url });
  const options = { ...optionsOf({ origin, turns }), store };
  return {
    async run() {
      const session = await createSession(options);
      await session.send('Go.');
      const results = [];
      for await (const event of session.stream()) {
        if (event.type === 'error') throw new Error(event.message);
        if (event.type === 'tool_result' && !event.isError) results.push(event);
      }
      if (results.length !== turns) throw new Error(`${results.length} results of ${turns} turns`);
      await session.close();
    },
    close: () => store[Symbol.asyncDispose](),
  };
}
