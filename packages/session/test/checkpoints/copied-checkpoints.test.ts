import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  deleteSession,
  type ForkSessionOptions,
  forkSession,
  type ISession,
  memoryStore,
  pruneSessions,
} from '../../src/index.ts';
import { checkpointed, made, picture, place, STORES, write } from '../support/checkpointed.ts';
import { scriptedProvider, toolNamed } from '../support/makers.ts';

async function forkOf(session: ISession, options: ForkSessionOptions): Promise<ISession> {
  const fork = await session.fork(options);
  onTestFinished(() => fork.close());
  return fork;
}

describe.each(STORES)('a fork with copyCheckpoints, with sessions in %s', (_, storeIn) => {
  it('rewinds to the messages it has, and to no later one (F17, ZC13)', async () => {
    const { folder, home } = place();
    const session = await checkpointed(folder, { store: storeIn(home) });
    const [first, second, third] = [
      await made(session, write('a', '1')),
      await made(session, write('a', '2')),
      await made(session, write('b', '3')),
    ];

    const fork = await forkOf(session, { messageId: second, copyCheckpoints: true });
    const without = await forkOf(session, { messageId: second });

    expect(await fork.rewindFiles(third)).toMatchObject({ success: false, deletedFiles: [] });
    expect(await without.rewindFiles(first)).toMatchObject({ success: false, deletedFiles: [] });
    expect(await fork.rewindFiles(second)).toMatchObject({ success: true, deletedFiles: [join(folder, 'b')] });
    expect(picture(folder)).toEqual({ a: expect.stringContaining('1') });
    expect(await fork.rewindFiles(first)).toMatchObject({ success: true });
    expect(picture(folder)).toEqual({});
  });

  it('takes the later changes of its source for those of somebody else (F28)', async () => {
    const { folder, home } = place();
    const session = await checkpointed(folder, { store: storeIn(home) });
    const message = await made(session, write('a', '1'));
    const fork = await forkOf(session, { copyCheckpoints: true });
    await made(session, write('a', '2'), write('b', '2'));

    expect(await fork.rewindFiles(message)).toMatchObject({ success: false, conflicts: [join(folder, 'a')] });
    expect(Object.keys(picture(folder))).toEqual(['a', 'b']);
  });
});

describe('copied checkpoints', () => {
  it('can be taken in the middle of a run, whose own ones go on', async () => {
    const { folder } = place();
    const release = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const wait = toolNamed('wait', () => (begun.resolve(), release.promise), { kind: 'readonly' });
    const session = await checkpointed(folder, { tools: [wait] });
    const message = await made(session, write('a', '1'));
    const running = made(session, { name: 'wait' }, write('b', '1'));
    await begun.promise;

    const fork = await forkOf(session, { messageId: message, copyCheckpoints: true });
    release.resolve('');
    const later = await running;
    expect(await fork.rewindFiles(message)).toMatchObject({ success: true, deletedFiles: [join(folder, 'a')] });
    expect(await session.rewindFiles(later)).toMatchObject({ success: true, deletedFiles: [join(folder, 'b')] });
  });

  it('are refused while the source is run elsewhere, and nothing is left behind', async () => {
    const { folder, home } = place();
    const store = memoryStore();
    const release = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const wait = toolNamed('wait', () => (begun.resolve(), release.promise), { kind: 'readonly' });
    const session = await checkpointed(folder, { store, tools: [wait] });
    await made(session, write('a', '1'));
    const running = made(session, { name: 'wait' });
    await begun.promise;
    const { sessionId } = session;

    const { provider } = scriptedProvider([]);
    const options = { provider, model: 'm', store, sessionId, enableFileCheckpointing: true, copyCheckpoints: true };
    await expect(forkSession(options)).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    expect(readdirSync(join(home, 'checkpoints')).filter((name) => name.endsWith('.db'))).toEqual([`${sessionId}.db`]);
    release.resolve('');
    await running;
    const fork = await forkSession(options);
    onTestFinished(() => fork.close());
    expect(fork.getCheckpointStatistics()).toMatchObject({ trackedFileCount: 1 });
  });

  it('are refused where there are none, or where nobody would use them; nothing is left behind', async () => {
    const { folder, home } = place();
    const without = await checkpointed(folder, { enableFileCheckpointing: false });
    const session = await checkpointed(folder);
    const files = readdirSync(join(home, 'checkpoints'));
    const refused = { code: 'VALIDATION_ERROR', field: 'copyCheckpoints' };

    await expect(without.fork({ copyCheckpoints: true })).rejects.toMatchObject(refused);
    const off = { enableFileCheckpointing: false, copyCheckpoints: true };
    await expect(session.fork(off as object)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
    await expect(session.fork({ copyCheckpoints: 'yes' as never })).rejects.toMatchObject(refused);
    expect(readdirSync(join(home, 'checkpoints'))).toEqual(files);
  });
});

describe('the checkpoints of a session that is removed', () => {
  it.each(['deleteSession', 'pruneSessions'])('go with it (%s)', async (how) => {
    const { folder, home } = place();
    const store = STORES[1]![1](home);
    const [gone, kept] = [await checkpointed(folder, { store }), await checkpointed(folder, { store })];
    writeFileSync(join(folder, 'secret'), 'a secret of the user');
    await made(gone, write('a', '1'));
    await gone.close();
    const file = (session: ISession) => join(home, 'checkpoints', `${session.sessionId}.db`);
    expect(readFileSync(file(gone), 'latin1')).toContain('a secret of the user');

    if (how === 'deleteSession') await deleteSession(gone.sessionId, { store });
    else await pruneSessions({ store, olderThan: new Date(Date.now() + 60_000), keep: [kept.sessionId] });

    expect([existsSync(file(gone)), existsSync(file(kept))]).toEqual([false, true]);
    expect(readdirSync(join(home, 'checkpoints')).filter((name) => name.startsWith(gone.sessionId))).toEqual([]);
  });
});
