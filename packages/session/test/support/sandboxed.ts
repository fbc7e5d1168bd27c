import type { AgentEvent } from '@x/core';
import type { SandboxSettings } from '@x/sandbox';
import type { SessionOptions } from '../../src/index.ts';
import { only, say, scriptedSession } from './makers.ts';

export interface Ran {
  readonly outputs: readonly string[];
  readonly failed: readonly boolean[];
  readonly events: readonly AgentEvent[];
}

/** Plays one call after the other in a session with a sandbox over the folder. */
export async function ran(
  folder: string,
  calls: readonly object[],
  sandbox: SandboxSettings,
  options: Partial<SessionOptions> = {},
): Promise<Ran> {
  const events: AgentEvent[] = [];
  const { session } = await scriptedSession(
    (_, turn) => (turn <= calls.length ? { toolCalls: [calls[turn - 1] as { name: string }] } : { text: 'Done.' }),
    {
      cwd: folder,
      allowedTools: ['Bash', 'Read', 'Write'],
      permissionMode: 'bypassPermissions',
      sandbox: { enabled: true, ...sandbox },
      handlers: [{ name: 'watch', onEvent: (event) => void events.push(event) }],
      ...options,
    },
  );
  try {
    const results = only(await say(session, 'Begin.'), 'tool_result');
    return {
      outputs: results.map(({ output }) => output),
      failed: results.map(({ isError }) => isError ?? false),
      events,
    };
  } finally {
    await session.close();
  }
}

/** A call of Bash. */
export const bash = (command: string): object => ({ name: 'Bash', input: { command } });
/** A call of Write. */
export const write = (path: string): object => ({ name: 'Write', input: { file_path: path, content: 'x' } });
