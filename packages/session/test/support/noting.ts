import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectSchema } from '@x/core';
import type { Script } from '@x/core/testing';
import { onTestFinished } from 'vitest';
import type { CommandHook, HookConfig, HookEvent, SessionOptions } from '../../src/index.ts';
import { resultOf, say, scriptedSession, toolNamed } from './makers.ts';
import { watched } from './watched.ts';

/** A hook that is a shell command and prints this. */
export function printing(output: object): CommandHook {
  return { type: 'command', command: `cat > /dev/null; printf '%s' '${JSON.stringify(output)}'` };
}

/** That hook, at this event. */
export const hookOn = (event: HookEvent, output: object): HookConfig => ({ [event]: [{ hooks: [printing(output)] }] });

/** One run with one call of `note`, whose trace is in `ran`; and everything the run has told. */
export async function noting(options: Partial<SessionOptions>, script?: Script) {
  const cwd = await mkdtemp(join(tmpdir(), 'outputs-'));
  onTestFinished(() => rm(cwd, { recursive: true }));
  const ran: unknown[] = [];
  const note = toolNamed('note', async (input) => (ran.push(input), 'noted'), {
    kind: 'execute',
    inputSchema: objectSchema({ text: { type: 'string', description: 'What to note.', optional: true } }),
  });
  const fails = toolNamed('fails', async () => Promise.reject(new Error('it broke')));
  const { handler, events: seen } = watched();
  const { session, model } = await scriptedSession(
    script ?? [{ toolCalls: [{ id: 'n', name: 'note', input: { text: 'a' } }] }, { text: 'Done.' }],
    { cwd, tools: [note, fails], allowedTools: ['note', 'fails', 'Task'], ...options, handlers: [handler] },
  );
  const events = await say(session, 'Begin.');
  return { ran, events, seen, session, model, result: resultOf(events) };
}
