import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type ModelRequest, textOf } from '@x/core';
import { memoryWorkspace, type Script } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { codeOf, only, resultOf, say, scriptedProvider, scriptedSession } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commands-'));
});
afterEach(() => rm(folder, { recursive: true }));

/** Writes files below the folder; the session that knows `commands` and `more` in it. */
async function withFiles(files: Readonly<Record<string, string | Uint8Array>>, options: Partial<SessionOptions> = {}) {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const script: Script = ({ messages }: ModelRequest) => {
    const last = messages.at(-1);
    return { text: last?.role === 'user' ? `Read: ${textOf(last)}` : 'Nothing.' };
  };
  return await scriptedSession(script, { cwd: folder, commandDirectories: ['commands'], ...options });
}
const review = '---\ndescription: Reviews a file\nargument-hint: <file> [focus]\n---\nReview $1. Heed $2!\n';

describe('commandDirectories', () => {
  it('makes the text of a file the message, with its arguments', async () => {
    const { session, model } = await withFiles({ 'commands/review.md': review });

    const events = await say(session, '/review "a b.ts" speed');

    expect(only(events, 'user_message')).toMatchObject([{ content: 'Review a b.ts. Heed speed!' }]);
    expect(model.requests[0]?.messages).toMatchObject([{ content: [{ text: 'Review a b.ts. Heed speed!' }] }]);
    expect(session.messages[0]).toMatchObject({ content: [{ text: 'Review a b.ts. Heed speed!' }] });
  });

  it('are read when a message is sent: an edit counts, and the log keeps what the model has read', async () => {
    const store = memoryStore();
    const { session } = await withFiles({ 'commands/go.md': 'First.' }, { store });
    await say(session, '/go');
    await writeFile(join(folder, 'commands/go.md'), 'Second.');
    await say(session, '/go');
    await session.close();
    await rm(join(folder, 'commands'), { recursive: true });

    const { session: again } = await resumed(store, session.sessionId, []);

    const said = again.messages.flatMap((message) => (message.role === 'user' ? [textOf(message)] : []));
    expect(said).toEqual(['First.', 'Second.']);
  });

  it('may have folders, which are part of the name', async () => {
    const { session } = await withFiles({ 'commands/git/pr/open.md': 'Open $ARGUMENTS.' });

    expect(resultOf(await say(session, '/git:pr:open  it \n now')).content).toBe('Read: Open it \n now.');
  });

  it('may be several: the first that has the name holds', async () => {
    const files = { 'commands/a.md': 'One.', 'more/a.md': 'Two.', 'more/b.md': 'Three.' };
    const { session } = await withFiles(files, { commandDirectories: ['commands', join(folder, 'more')] });

    expect(resultOf(await say(session, '/a')).content).toBe('Read: One.');
    expect(resultOf(await say(session, '/b')).content).toBe('Read: Three.');
    expect((await session.supportedCommands()).map(({ name, description }) => `${name}: ${description}`)).toEqual([
      'compact: Puts a summary in the place of older messages',
      'a: One.',
      'b: Three.',
    ]);
  });

  it.each([
    '/unknown',
    '/a/b',
    '/etc/passwd is odd',
    '/',
    '/ a',
    '/..',
    '/a.md',
    '/:a',
    '/a:',
    ' /a',
    'see /a',
    '//a',
    '/a:b:c',
  ])('leave a message as it is that names no command: %j', async (text) => {
    const { session } = await withFiles({ 'commands/a.md': 'One.', 'b.md': 'Two.' });

    expect(resultOf(await say(session, text)).content).toBe(`Read: ${text}`);
  });

  it('keep messages in the order in which they were sent', async () => {
    const { session } = await withFiles({ 'commands/a.md': 'One.' });

    await Promise.all(['/a', 'two', '/a', 'four'].map((text) => session.send(text)));
    const events = await Array.fromAsync(session.stream());

    expect(only(events, 'user_message').map(({ content }) => content)).toEqual(['One.', 'two', 'One.', 'four']);
  });

  it('are only those that the host names', async () => {
    const files = { '.claude/commands/a.md': 'One.', '.agent-sdk/commands/a.md': 'Two.', 'commands/a.md': 'Three.' };
    const { session } = await withFiles(files, { commandDirectories: [] });
    const { commandDirectories: _, ...none } = { commandDirectories: [], cwd: folder };
    const { session: other } = await scriptedSession(({ messages }) => ({ text: String(messages.length) }), none);

    expect(resultOf(await say(session, '/a')).content).toBe('Read: /a');
    expect((await session.supportedCommands()).map(({ name }) => name)).toEqual(['compact']);
    expect((await other.supportedCommands()).map(({ name }) => name)).toEqual(['compact']);
  });

  it.each<[string, object]>([
    ['a directory that is not there', { commandDirectories: ['none'] }],
    ['a file', { commandDirectories: ['commands/a.md'] }],
    ['a path that is no text', { commandDirectories: [7] }],
    ['an empty path', { commandDirectories: [''] }],
    ['no list', { commandDirectories: 'commands' }],
    ['a relative path beside workspace', { cwd: undefined, workspace: memoryWorkspace() }],
  ])('refuse %s', async (_, options) => {
    const { cwd, ...rest } = { cwd: folder, commandDirectories: ['commands'], ...options };
    await (await withFiles({ 'commands/a.md': 'One.' })).session.close();
    const { provider } = scriptedProvider([]);
    const making = createSession({ provider, model: 'm', store: memoryStore(), ...rest, ...(cwd ? { cwd } : {}) });

    await expect(making).rejects.toMatchObject({
      name: 'ValidationError',
      field: expect.stringMatching(/^commandDirectories(\[0\])?$/),
    });
  });
});

describe('a command file that is broken', () => {
  const link = async (target: string, path: string) => symlink(join(folder, target), join(folder, path));

  it.each<[string, string | Uint8Array, string]>([
    ['of an unknown key', '---\nmodel: x\n---\nGo.', 'a.md, line 2: the key "model" is not known'],
    ['that is no UTF-8', Uint8Array.of(0x47, 0x6f, 0x0a, 0xff, 0xfe), 'a.md, line 2: the text is not UTF-8'],
    ['that is empty', '', 'a.md, line 1: there is no text'],
    ['that is too long', 'x'.repeat(64 * 1024 + 1), 'a.md has more than 65536 bytes'],
  ])('is an error when it is sent and when commands are listed: one %s', async (_, text, what) => {
    const { session } = await withFiles({ 'commands/a.md': text });

    await expect(session.send('/a')).rejects.toThrow(what);
    await expect(session.supportedCommands()).rejects.toThrow(what);
    expect(await codeOf(session.send('/a'))).toBe('VALIDATION_ERROR');
    expect(resultOf(await say(session, 'Go on.')).content).toBe('Read: Go on.');
  });

  it('is one that lies behind a link: nothing outside of the named directory is read', async () => {
    const { session } = await withFiles({ 'commands/sub/b.md': 'One.', 'secret/key.md': 'Key.' });
    await link('secret/key.md', 'commands/key.md');
    await link('secret', 'commands/way');

    await expect(session.send('/key')).rejects.toThrow('is a link');
    await expect(session.send('/way:key')).rejects.toThrow('is a link');
    await expect(session.supportedCommands()).rejects.toThrow('is a link');
    expect(resultOf(await say(session, '/sub:b')).content).toBe('Read: One.');
  });

  it('is not one that was named by a link: then the place it leads to is meant', async () => {
    await mkdir(join(folder, 'real'));
    await link('real', 'commands');
    const { session } = await withFiles({ 'real/a.md': 'One.' });

    expect(resultOf(await say(session, '/a')).content).toBe('Read: One.');
    expect(await session.supportedCommands()).toHaveLength(2);
  });

  it('is a pipe, which nobody waits for, or a folder', async () => {
    const { session } = await withFiles({ 'commands/b.md/c.md': 'One.' });
    execFileSync('mkfifo', [join(folder, 'commands/a.md')]);

    await expect(session.send('/a')).rejects.toThrow('a.md is not a regular file');
    await expect(session.send('/b')).rejects.toThrow('b.md is not a regular file');
  });

  it('is one whose directory is gone', async () => {
    const { session } = await withFiles({ 'commands/a.md': 'One.' });
    await rm(join(folder, 'commands'), { recursive: true });

    await expect(session.send('/a')).rejects.toThrow('commands cannot be read');
    await expect(session.supportedCommands()).rejects.toThrow('commands cannot be read');
    expect(resultOf(await say(session, 'Go on.')).content).toBe('Read: Go on.');
  });

  it('is one that comes to nothing without arguments', async () => {
    const { session } = await withFiles({ 'commands/a.md': '---\nargument-hint: <what>\n---\n$ARGUMENTS' });

    await expect(session.send('/a')).rejects.toThrow('give it arguments: /a <what>');
    expect(resultOf(await say(session, '/a $1')).content).toBe('Read: $1');
  });
});

describe('supportedCommands()', () => {
  it('tells name, description and usage, in the order of directories and names', async () => {
    const files = {
      'commands/review.md': review,
      'commands/git/pr.md': '# Open a request\n\nFor $1.',
      'commands/.hidden.md': '---\n',
      'commands/notes.txt': 'No command.',
      'commands/long.md': `${'word '.repeat(40)}\nMore.`,
    };
    const { session } = await withFiles(files);

    expect(await session.supportedCommands()).toEqual([
      {
        name: 'compact',
        description: 'Puts a summary in the place of older messages',
        usage: '/compact [instructions]',
      },
      { name: 'git:pr', description: 'Open a request' },
      { name: 'long', description: 'word '.repeat(40).slice(0, 80) },
      { name: 'review', description: 'Reviews a file', usage: '/review <file> [focus]' },
    ]);
  });

  it.each([
    ['commands/compact.md', '/compact is built in'],
    ['commands/two words.md', 'two words.md: its name can be no part of a command'],
    ['commands/a:b/c.md', 'a:b: its name can be no part of a command'],
    [`commands/${'deep/'.repeat(9)}a.md`, 'more than 8 folders deep'],
  ])('refuses %s', async (path, what) => {
    const { session } = await withFiles({ [path]: 'One.' });

    await expect(session.supportedCommands()).rejects.toThrow(what);
  });

  it('is for sessions that are open', async () => {
    const { session } = await withFiles({ 'commands/a.md': 'One.' });
    await session.close();

    expect(await codeOf(session.supportedCommands())).toBe('SESSION_CLOSED');
    expect(await codeOf(session.send('/a'))).toBe('SESSION_CLOSED');
  });
});
