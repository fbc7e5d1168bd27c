import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAgentError } from '@x/core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createSession,
  deleteSession,
  exportSession,
  forkSession,
  type ISession,
  importSession,
  listSessions,
  prompt,
  resumeSession,
} from '../../src/index.ts';
import { read, say, scriptedProvider } from '../support/makers.ts';

const { provider } = scriptedProvider(() => ({ text: 'Done.' }));
const base = { provider, model: 'm', allowedTools: [] };
const noKey = { provider: { type: 'openai-compatible' }, model: 'm' } as const;
let home = '';
let sessionId = '';

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'default-store-'));
  vi.stubEnv('AGENT_SDK_HOME', home);
  vi.stubEnv('OPENAI_API_KEY', '');
  const session = await createSession(base);
  await say(session, 'Hello.');
  await session.close();
  ({ sessionId } = session);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(home, { recursive: true });
});

/** SQLite takes its neighbours away when the last one who has a file open closes it. */
const isClosed = async () => (await readdir(home)).join() === 'sessions.db';
/** What became of it: `done`, or the code of the error. */
const outcomeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => (isAgentError(error) ? error.code : error),
  );

describe('the default store', () => {
  it('is open while a session is (control)', async () => {
    const session = await createSession(base);

    expect(await isClosed()).toBe(false);

    await session.close();
    expect(await isClosed()).toBe(true);
  });

  it.each<[string, string, () => Promise<unknown>]>([
    ['a list', 'done', () => listSessions()],
    ['a list that is refused', 'VALIDATION_ERROR', () => listSessions({ cursor: 'x' })],
    ['an export', 'done', () => Array.fromAsync(exportSession(sessionId))],
    ['an export that is left early', 'done', () => leave(exportSession(sessionId))],
    ['an export of nothing', 'SESSION_NOT_FOUND', () => Array.fromAsync(exportSession('none'))],
    ['an import that is refused', 'SESSION_EXISTS', () => importSession(exportSession(sessionId))],
    ['a removal', 'done', removal],
    ['a removal of nothing', 'SESSION_NOT_FOUND', () => deleteSession('none')],
    ['a prompt', 'done', () => prompt('Hello.', base)],
    ['a session that cannot be made', 'AUTHENTICATION_ERROR', () => createSession(noKey)],
    ['a session that cannot be resumed', 'AUTHENTICATION_ERROR', () => resumeSession({ ...noKey, sessionId })],
    ['a session that is not there', 'SESSION_NOT_FOUND', () => resumeSession({ ...base, sessionId: 'none' })],
    ['a fork that cannot be made', 'AUTHENTICATION_ERROR', () => forkSession({ ...noKey, sessionId })],
    ['a fork behind nothing', 'MESSAGE_NOT_FOUND', () => forkSession({ ...base, sessionId, messageId: 'none' })],
  ])('is closed after %s: %s', async (_what, expected, call) => {
    expect(await outcomeOf(call())).toBe(expected);

    expect(await isClosed()).toBe(true);
  });
});

describe('close() while something is under way', () => {
  it.each<[string, (session: ISession) => Promise<unknown>]>([
    ['send()', (session) => session.send('On.')],
    ['stream()', (session) => session.send('On.').then(() => read(session))],
    ['fork()', (session) => session.fork().then((fork) => fork.close())],
    ['setTitle()', (session) => session.setTitle('Mine')],
    ['setMetadata()', (session) => session.setMetadata({ a: 'b' })],
    ['usage()', (session) => session.usage()],
    ['supportedCommands()', (session) => session.supportedCommands()],
    ['supportedModels()', (session) => session.supportedModels()],
  ])('lets %s come to its end, and closes the store', async (_what, call) => {
    const session = await resumeSession({ ...base, sessionId });
    const outcome = outcomeOf(call(session));

    await session.close();

    expect(['done', 'SESSION_CLOSED']).toContain(await outcome);
    expect(await isClosed()).toBe(true);
  });
});

async function removal(): Promise<void> {
  const session = await createSession(base);
  await session.close();
  await deleteSession(session.sessionId);
}

async function leave(lines: AsyncIterable<string>): Promise<void> {
  for await (const _ of lines) return;
}
