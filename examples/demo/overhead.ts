import type { ChildProcess } from 'node:child_process';
import { createSession, defineTool, objectSchema } from '@x/agent-sdk';
import { nextMessage } from './children.ts';
import { MEASURED_TURNS } from './script.ts';
import { optionsOf, type Stage } from './stage.ts';

/**
 * Milliseconds that a turn takes without the service: the wall time of a run of 50 turns, each with a call of a tool that does nothing, less
 * the time for which the service had a request. What is left are our work, the HTTP client's and the disk's.
 */
export async function overheadPerTurn({ quickUrl, store }: Stage, service: ChildProcess): Promise<number> {
  const tick = defineTool({
    name: 'tick',
    description: 'Does nothing.',
    inputSchema: objectSchema({}),
    execute: async () => 'tock',
  });
  const session = await createSession({ ...optionsOf(quickUrl, store), tools: [tick], allowedTools: ['tick'] });
  await session.send('tick 49 times.');
  const busyBefore = await busyMs(service);
  const begun = performance.now();
  let turns = 0;
  for await (const event of session.stream()) if (event.type === 'turn_end') turns += 1;
  const wall = performance.now() - begun;
  const busy = (await busyMs(service)) - busyBefore;
  await session.close();
  if (turns !== MEASURED_TURNS) throw new Error(`The measured run has ${turns} turns instead of ${MEASURED_TURNS}`);
  return (wall - busy) / turns;
}

async function busyMs(service: ChildProcess): Promise<number> {
  const answer = nextMessage(service);
  service.send('busy?');
  return ((await answer) as { readonly busyMs: number }).busyMs; // safe: service.ts sends nothing else by now
}
