import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { textOf } from '@x/core';
import type { Script } from '@x/core/testing';
import { onTestFinished, vi } from 'vitest';
import {
  createSession,
  type ISession,
  memoryStore,
  resumeSession,
  type SessionOptions,
  type SessionStore,
  sqliteStore,
} from '../../src/index.ts';
import { say, scriptedProvider } from './makers.ts';

export interface Place {
  readonly folder: string;
  /** Of the checkpoints, and of a store in a file. */
  readonly home: string;
}

/** A working directory, and a home for the SDK beside it. */
export function place(): Place {
  const around = realpathSync(mkdtempSync(join(tmpdir(), 'checkpointed-')));
  const [folder, home] = [join(around, 'work'), join(around, 'home')];
  mkdirSync(folder);
  vi.stubEnv('AGENT_SDK_HOME', home);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(around, { recursive: true, force: true });
  });
  return { folder, home };
}

/** The stores whose sessions have checkpoints alike. */
export const STORES: readonly (readonly [string, (home: string) => SessionStore])[] = [
  ['memory', () => memoryStore()],
  ['SQLite', (home) => sqliteStore({ path: join(home, 'sessions.db') })],
  ['a directory', (home) => sqliteStore({ directory: join(home, 'sessions') })],
];

/** A user message is a list of calls as JSON, made one after the other; any other text is answered. */
const OBEYS: Script = ({ messages }) => {
  const told = messages.findLast((message) => message.role === 'user');
  const done = messages.length - 1 - messages.lastIndexOf(told!);
  const calls = told && textOf(told).startsWith('[') ? JSON.parse(textOf(told)) : [];
  const call = calls[done / 2];
  return call ? { toolCalls: [{ id: `${told!.id}-${done / 2}`, ...call }] } : { text: 'Done.' };
};

type Options = Partial<SessionOptions> & { readonly sessionId?: string };

/** A session with checkpoints whose model makes the calls it is told; closed after the test. */
export async function checkpointed(cwd: string, options: Options = {}): Promise<ISession> {
  const { provider } = scriptedProvider(OBEYS);
  const { sessionId, ...more } = options;
  const all = {
    provider,
    model: 'm',
    store: memoryStore(),
    permissionMode: 'bypassPermissions' as const,
    enableFileCheckpointing: true,
    ...(sessionId === undefined ? { cwd } : {}),
    ...more,
  };
  const session = sessionId === undefined ? await createSession(all) : await resumeSession({ ...all, sessionId });
  onTestFinished(() => session.close());
  return session;
}

/** Has the calls made in one run; the id of the message. @throws when a call or the run fails */
export async function made(session: ISession, ...calls: readonly object[]): Promise<string> {
  const events = await say(session, JSON.stringify(calls));
  const result = events.at(-1);
  const failed = events.find((event) => event.type === 'tool_result' && event.isError);
  if (failed || result?.type !== 'result' || result.subtype !== 'success') {
    throw new Error(`failed: ${JSON.stringify(failed ?? result)}`);
  }
  return result.messageId;
}

/** Calls of the built-in tools. */
export const bash = (command: string): object => ({ name: 'Bash', input: { command } });
export const write = (path: string, content: string): object => ({
  name: 'Write',
  input: { file_path: path, content },
});
export const edit = (path: string, old: string, fresh: string): object => ({
  name: 'Edit',
  input: { file_path: path, old_string: old, new_string: fresh },
});

export { picture } from '../../../checkpoint/test/picture.ts';
