import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../src/index.ts';
import { bash, checkpointed, edit, made, picture, place, STORES, write } from '../support/checkpointed.ts';
import { say, toolNamed } from '../support/makers.ts';

describe.each(STORES)('a rewind, with sessions in %s', (_, storeIn) => {
  it('takes back what tools and commands have changed since a message, byte for byte (F01, F03, F18)', async () => {
    const { folder, home } = place();
    execFileSync(
      '/bin/sh',
      ['-c', 'printf "old\\r\\n" > a; echo keep > b; mkdir d; echo x > d/x; chmod 640 b; ln -s a l'],
      {
        cwd: folder,
      },
    );
    const session = await checkpointed(folder, { store: storeIn(home) });
    const before = picture(folder);

    const first = await made(session, write('new/deep.txt', 'agent'), edit('b', 'keep', 'changed'));
    const middle = picture(folder);
    const second = await made(session, bash('sed -i s/old/new/ a; chmod 755 b; rm -r d l; ln -s b l; touch -r b a'));
    const { length } = session.messages;

    const result = await session.rewindFiles(second);
    expect(result).toMatchObject({ success: true, errors: [], conflicts: [], unrestorable: [], dryRun: false });
    expect(picture(folder)).toEqual(middle);
    const { deletedFiles } = await session.rewindFiles(first);
    expect(deletedFiles).toEqual([join(folder, 'new'), join(folder, 'new/deep.txt')]);
    expect(picture(folder)).toEqual(before);
    expect(session.messages).toHaveLength(length);
  });

  it('is there again in another object of the session, and can itself be taken back (F15, F16)', async () => {
    const { folder, home } = place();
    const store = storeIn(home);
    const session = await checkpointed(folder, { store });
    const message = await made(session, write('a', 'agent'), bash('echo agent > b'));
    const after = picture(folder);
    await session.close();

    const again = await checkpointed(folder, { store, sessionId: session.sessionId });
    const { rewindId } = await again.rewindFiles(message);
    expect(picture(folder)).toEqual({});
    expect(await again.rewindFiles(rewindId!)).toMatchObject({ success: true });
    expect(picture(folder)).toEqual(after);
  });

  it('is refused while a run is under way, here and in another object (F20)', async () => {
    const { folder, home } = place();
    const store = storeIn(home);
    const release = Promise.withResolvers<string>();
    const begun = Promise.withResolvers<void>();
    const wait = toolNamed('wait', () => (begun.resolve(), release.promise), { kind: 'readonly' });
    const session = await checkpointed(folder, { store, tools: [wait] });
    const message = await made(session, write('a', 'agent'));
    const running = made(session, { name: 'wait' });
    await begun.promise;

    const other = await checkpointed(folder, { store, sessionId: session.sessionId, tools: [wait] });
    await expect(session.rewindFiles(message)).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    await expect(other.rewindFiles(message)).rejects.toMatchObject({ code: 'SESSION_BUSY' });
    release.resolve('');
    await running;
    expect(await other.rewindFiles(message)).toMatchObject({ success: true, deletedFiles: [join(folder, 'a')] });
  });
});

describe('a rewind', () => {
  it('knows each message as it was recorded, replies before their own calls (F06, F09, F12, F19)', async () => {
    const { folder } = place();
    writeFileSync(join(folder, 'a'), '0');
    const session = await checkpointed(folder);
    for (const text of ['1', '2', '3']) await made(session, write('a', text));
    const states: (string | undefined)[] = [];

    for (const { id, role } of session.messages.toReversed()) {
      if (role === 'tool') continue;
      expect(await session.rewindFiles(id)).toMatchObject({ success: true });
      states.push(readFileSync(join(folder, 'a'), 'utf8'));
    }

    // Of each run, from the last: the last reply, the reply that calls, the message.
    expect(states).toEqual(['3', '2', '2', '2', '1', '1', '1', '0', '0']);
  });

  it('says all that it has done (F02)', async () => {
    const { folder } = place();
    const [a, b] = [join(folder, 'a'), join(folder, 'b')];
    writeFileSync(a, 'one\ntwo\n');
    const session = await checkpointed(folder);
    const message = await made(session, edit('a', 'two', 'three'), write('b', 'agent\n'));

    const result = await session.rewindFiles(message);

    expect(result).toEqual({
      success: true,
      restoredFiles: [a],
      deletedFiles: [b],
      errors: [],
      conflicts: [],
      skipped: [],
      unrestorable: [],
      changes: [
        { filePath: a, operation: 'modify', insertions: 1, deletions: 1 },
        { filePath: b, operation: 'delete', insertions: 0, deletions: 1 },
      ],
      dryRun: false,
      insertions: 1,
      deletions: 2,
      rewindId: expect.any(String),
    });
  });

  it('changes nothing for a message that it does not know, or without checkpoints (F04)', async () => {
    const { folder } = place();
    const [session, without] = [
      await checkpointed(folder),
      await checkpointed(folder, { enableFileCheckpointing: false }),
    ];
    await made(session, write('a', 'agent'));
    const message = await made(without, write('b', 'agent'));

    const unknown = await session.rewindFiles('no-such-message', { dryRun: true });
    const off = await without.rewindFiles(message);

    const nothing = { success: false, restoredFiles: [], deletedFiles: [], conflicts: [] };
    expect(unknown).toMatchObject({ ...nothing, errors: [{ filePath: folder }], dryRun: true });
    expect(unknown.errors[0]!.error).toContain('no-such-message');
    expect(off).toMatchObject(nothing);
    expect(off.errors.map(({ error }) => error)).toEqual([expect.stringContaining('enableFileCheckpointing: true')]);
    expect(Object.keys(picture(folder))).toEqual(['a', 'b']);
  });

  it.each([
    [{ dryrun: true }, 'dryrun'],
    [{ force: 'yes' }, 'force'],
    [{ paths: 'a' }, 'paths'],
    [{ callID: 'x' }, 'callID'],
  ])('refuses the options %j, with and without checkpoints (F27)', async (options, field) => {
    const { folder } = place();
    for (const enableFileCheckpointing of [true, false]) {
      const session = await checkpointed(folder, { enableFileCheckpointing });
      const rewinding = session.rewindFiles('m', options as object);
      await expect(rewinding).rejects.toMatchObject({ code: 'VALIDATION_ERROR', field });
    }
  });

  it('leaves what the user has changed meanwhile, and says so; force keeps a copy (F13, F14)', async () => {
    const { folder } = place();
    const mine = join(folder, 'mine');
    const session = await checkpointed(folder);
    const message = await made(session, write('mine', 'agent'), write('other', 'agent'));
    writeFileSync(mine, 'mine');

    const dry = await session.rewindFiles(message, { dryRun: true });
    expect(Object.keys(picture(folder))).toEqual(['mine', 'other']);
    const real = await session.rewindFiles(message);

    expect([dry.success, dry.conflicts, dry.deletedFiles]).toEqual([real.success, real.conflicts, real.deletedFiles]);
    expect(real).toMatchObject({ success: false, conflicts: [mine], deletedFiles: [join(folder, 'other')] });
    expect(readFileSync(mine, 'utf8')).toBe('mine');
    const { rewindId } = await session.rewindFiles(message, { force: true });
    expect(existsSync(mine)).toBe(false);
    await session.rewindFiles(rewindId!);
    expect(readFileSync(mine, 'utf8')).toBe('mine');
  });

  it('takes back one call alone, and only the paths that are named (F27)', async () => {
    const { folder } = place();
    const session = await checkpointed(folder);
    const message = await made(session, write('a', '1'), write('b', '1'), bash('echo 2 > c; echo 2 > d'));

    expect(await session.rewindFiles(message, { callId: `${message}-1` })).toMatchObject({
      success: true,
      deletedFiles: [join(folder, 'b')],
    });
    await session.rewindFiles(message, { paths: ['c'] });
    expect(Object.keys(picture(folder))).toEqual(['a', 'd']);
  });

  it('takes back what tools of the host, subagents and command hooks have changed (F01)', async () => {
    const { folder } = place();
    const own = toolNamed('own', async () => {
      writeFileSync(join(folder, 'own'), 'by node:fs');
      return 'done';
    });
    const command = { type: 'command' as const, command: `echo hook >> '${folder}/b'` };
    const session = await checkpointed(folder, {
      tools: [own],
      agents: [{ name: 'worker', description: 'Works.' }],
      hooks: { PostToolUse: [{ matcher: 'Write', hooks: [command] }] },
    });
    const task = { subagent_type: 'worker', description: 'work', prompt: JSON.stringify([write('sub', 'agent')]) };

    const message = await made(session, { name: 'own' }, write('b', 'agent\n'), { name: 'Task', input: task });
    expect(readFileSync(join(folder, 'b'), 'utf8')).toContain('agent\nhook\n');
    expect(Object.keys(picture(folder))).toEqual(['b', 'own', 'sub']);
    expect(await session.rewindFiles(message)).toMatchObject({ success: true, errors: [] });
    expect(picture(folder)).toEqual({});
  });

  it('leaves what hooks have changed outside of runs: it was there before the first message', async () => {
    const { folder } = place();
    const SessionStart = [{ hooks: [{ type: 'command' as const, command: `echo hook > '${folder}/set-up'` }] }];
    const session = await checkpointed(folder, { hooks: { SessionStart } });
    const message = await made(session, write('a', '1'));

    expect(await session.rewindFiles(message)).toMatchObject({ success: true, deletedFiles: [join(folder, 'a')] });
    expect(Object.keys(picture(folder))).toEqual(['set-up']);
  });

  it('of two sessions in one directory takes back what its own has changed (ZC14, S40)', async () => {
    const { folder } = place();
    const [one, two] = [await checkpointed(folder), await checkpointed(folder)];
    const first = await made(one, write('one', '1'), write('both', '1'));
    await made(two, write('two', '2'), write('both', '2'));

    const result = await one.rewindFiles(first);
    expect(result).toMatchObject({ deletedFiles: [join(folder, 'one')], conflicts: [join(folder, 'both')] });
    expect(Object.keys(picture(folder))).toEqual(['both', 'two']);
  });

  it('says what is wrong when the directory is gone, and a run there fails (ZC17)', async () => {
    const { folder } = place();
    const session = await checkpointed(folder);
    const message = await made(session, write('a', '1'));
    execFileSync('rm', ['-r', folder]);

    expect(await session.rewindFiles(message)).toMatchObject({
      success: false,
      errors: [{ filePath: folder, error: expect.stringContaining(`${folder} is not a directory`) }],
    });
    const events = await say(session, JSON.stringify([write('a', '2')]));
    expect(events.at(-1)).toMatchObject({ type: 'result', subtype: 'error', error: expect.stringContaining(folder) });
  });

  it('of what changed while the files could not be looked at is a conflict, of which the run has told', async () => {
    const { folder } = place();
    writeFileSync(join(folder, 'a'), 'old');
    const session = await checkpointed(folder);
    const hidden = `${folder}.hidden`;
    const message = await made(session, bash(`cd /; mv '${folder}' '${hidden}'; echo agent > '${hidden}/a'`));
    execFileSync('mv', [hidden, folder]);

    const notices = session.diagnosis().checks.map(({ name, detail }) => `${name}: ${detail}`);
    expect(notices.join()).toMatch(/checkpoint_failed: The files could not be looked at; .*cannot be read/);
    expect(await session.rewindFiles(message)).toMatchObject({ success: false, conflicts: [join(folder, 'a')] });
  });

  it('is possible while the run waits for an answer, and leaves the question open', async () => {
    const { folder } = place();
    const session = await checkpointed(folder, {
      permissionMode: 'default',
      askPolicy: 'wait',
      autoApprove: ['Write'],
    });
    const events = await say(session, JSON.stringify([write('a', '1'), bash('touch b')]));
    const result = events.at(-1);
    if (result?.type !== 'result' || result.subtype !== 'waiting') throw new Error(JSON.stringify(result));

    expect(await session.rewindFiles(result.messageId)).toMatchObject({ success: true });
    await session.answer(result.questions[0]!.callId, { behavior: 'allow' });
    await Array.fromAsync(session.stream());
    expect(Object.keys(picture(folder))).toEqual(['b']);
  });
});

describe('numbers of checkpoints', () => {
  it('are those of the last run; there are none without checkpoints (F08)', async () => {
    const { folder } = place();
    const store = memoryStore();
    const session = await checkpointed(folder, { store });
    expect(session.getCheckpointStatistics()).toEqual({
      checkpointCount: 0,
      trackedFileCount: 0,
      pendingChangeCount: 0,
    });

    await made(session, write('a', '1'), write('a', '2'), bash('echo 1 > b'));
    const numbers = { checkpointCount: 5, trackedFileCount: 2, pendingChangeCount: 0 };
    expect(session.getCheckpointStatistics()).toEqual(numbers);

    const again = await checkpointed(folder, { store, sessionId: session.sessionId });
    expect(again.getCheckpointStatistics()).toEqual(numbers);
    const without = await checkpointed(folder, { enableFileCheckpointing: false });
    expect(without.getCheckpointStatistics()).toBe(null);
  });
});
