// A server of sessions that waits for its place, and is killed: a message `{ path, noted, port? }` begins it, and it says its port.
import { appendFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, objectSchema } from '@x/core';
import { sqliteStore } from '@x/session';
import { serve } from '../../src/index.ts';
import { sessionHost } from '../../src/sessions/index.ts';
import { scripted } from '../../test/support/hosted.ts';

/** Turns of each run before its last one. */
const TURNS = 3;

process.once('message', (place) => void begin(place as Place));
flushCompileCache(); // a process that is killed leaves none
process.send?.('ready');

interface Place {
  readonly path: string;
  readonly noted: string;
  readonly port?: number;
}

async function begin({ path, noted, port: asked = 0 }: Place): Promise<void> {
  const note = defineTool({
    name: 'note',
    description: 'Has an effect that nothing takes back.',
    inputSchema: objectSchema({}),
    async execute(_, { callId, sessionId }) {
      appendFileSync(noted, `${sessionId} ${callId}\n`);
      await sleep(4);
      return 'noted';
    },
  });
  const provider = scripted(({ messages }) => {
    const asked = messages.findLastIndex(({ role }) => role === 'user');
    const turn = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
    const id = `${messages.length}-${turn}`;
    if (turn < TURNS) return { text: ['I ', 'note.'], toolCalls: [{ id, name: 'note', input: {} }] };
    return { text: ['All ', 'is ', 'noted.'] };
  });
  const chat = { provider, model: 'm', tools: [note], allowedTools: ['note'], maxCrashes: 100_000 };
  const sessions = sessionHost({ store: sqliteStore({ path }), profiles: { chat }, lookEveryMs: 20 });
  const { port } = await serve({ port: asked, token: 'secret', logLevel: 'fatal', sessions });
  process.send?.({ port });
}
