import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Script } from '@x/core/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type CanUseTool,
  exportSession,
  type ISession,
  importSession,
  memoryStore,
  type SessionStore,
  sqliteStore,
} from '../../src/index.ts';
import { only, say, scriptedSession } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'allowed-'));
});
afterEach(() => rm(folder, { recursive: true }));

const stores: readonly (readonly [string, () => SessionStore])[] = [
  ['memory', () => memoryStore()],
  ['sqlite', () => sqliteStore({ path: join(folder, 's.db') })],
];
/** The model runs each line of the message, one a turn. */
const script: Script = ({ messages }) => {
  const last = messages.findLast((message) => message.role === 'user');
  const [block] = last?.content ?? [];
  const lines = block?.type === 'text' ? block.text.split('\n') : [];
  const done = messages.slice(messages.indexOf(last!)).filter(({ role }) => role === 'tool').length;
  const command = lines[done];
  return command === undefined ? { text: 'Done.' } : { toolCalls: [{ name: 'Bash', input: { command } }] };
};
const tools = { allowedTools: ['Bash', 'Read'] };

/** Which of the lines ran. */
async function ran(session: ISession, ...lines: readonly string[]): Promise<boolean[]> {
  return only(await say(session, lines.join('\n')), 'tool_result').map(({ isError }) => !isError);
}

describe.each(stores)('rules allowed in a session kept in %s', (_name, open) => {
  let store: SessionStore;
  beforeEach(() => {
    store = open();
  });
  afterEach(() => store[Symbol.asyncDispose]());
  const begun = async (options: object = {}) =>
    (await scriptedSession(script, { store, ...tools, ...options })).session;

  it('hold from the next call, and after a resume', async () => {
    const session = await begun();
    expect(await ran(session, 'echo a')).toEqual([false]);

    await session.allow('Bash(echo *)');
    expect(await ran(session, 'echo a', 'true')).toEqual([true, false]);
    await session.close();

    const again = await resumed(store, session.sessionId, script, tools);
    expect(await ran(again.session, 'echo b', 'true')).toEqual([true, false]);
    await again.session.close();
  });

  it('stay below every deny and ask rule', async () => {
    const session = await begun({ disallowedTools: ['Bash(echo no *)'], alwaysAsk: ['Bash(echo ask *)'] });

    await session.allow(['Bash(echo *)', 'Bash']);

    expect(await ran(session, 'echo yes', 'echo no', 'echo ask')).toEqual([true, false, false]);
    await session.close();
  });

  it('reach the run of another object of the same session', async () => {
    const session = await begun();
    const other = await resumed(store, session.sessionId, script, tools);

    await other.session.allow('Bash(echo *)');

    expect(await ran(session, 'echo a')).toEqual([true]);
    await Promise.all([session.close(), other.session.close()]);
  });

  it('may be answers of canUseTool, which is then asked no more', async () => {
    const asked: string[] = [];
    const canUseTool: CanUseTool = async (_tool, input, { suggestedRule = '' }) => {
      asked.push((input as { command: string }).command);
      return { behavior: 'allow', remember: [suggestedRule] };
    };
    const session = await begun({ canUseTool });
    await ran(session, 'echo a', 'echo a', 'echo b');
    await session.close();

    const again = await resumed(store, session.sessionId, script, { ...tools, canUseTool });
    await ran(again.session, 'echo a', 'echo b', 'echo c');
    await again.session.close();

    expect(asked).toEqual(['echo a', 'echo b', 'echo c']);
  });

  it('do not come along into a fork, unless it is said', async () => {
    const session = await begun();
    await session.allow('Bash(echo *)');
    await ran(session, 'echo a');

    const [plain, copied] = [await session.fork(), await session.fork({ copyRules: true })];

    expect([await ran(plain, 'echo b'), await ran(copied, 'echo b')]).toEqual([[false], [true]]);
    await Promise.all([session, plain, copied].map((one) => one.close()));
  });

  it('do not come along with an import', async () => {
    const session = await begun();
    await session.allow('Bash(echo *)');
    await ran(session, 'echo a');
    await session.close();
    const lines = await Array.fromAsync(exportSession(session.sessionId, { store }));

    const sessionId = await importSession(lines, { store, sessionId: 'imported' });

    const imported = await resumed(store, sessionId, script, tools);
    expect(await ran(imported.session, 'echo b')).toEqual([false]);
    await imported.session.close();
  });

  it.each([
    ['Bash(', /parentheses/],
    ['*', /name of a tool/],
    ['bash(ls)', /write Bash/],
    ['Read(~other/x)', /does not fit Read/],
    [7, /a rule, or a list/],
  ])('refuse %j and record nothing', async (rule, hint) => {
    const session = await begun();

    await expect(session.allow(rule as string)).rejects.toThrow(
      expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'rule', message: expect.stringMatching(hint) }),
    );

    const texts = await Array.fromAsync(exportSession(session.sessionId, { store }));
    expect(texts.join('')).not.toContain('rules_allowed');
    await session.close();
  });

  it('that fit no tool any more allow nothing, and hinder nothing', async () => {
    const session = await begun();
    await session.allow(['Bash(echo *)', 'gone', 'Bash(true)']);
    await session.close();

    const again = await resumed(store, session.sessionId, script, tools);

    expect(await ran(again.session, 'echo a', 'true', 'false')).toEqual([true, true, false]);
    await again.session.close();
  });
});

describe('session.allow', () => {
  it('is refused while the session is run elsewhere, and on one that is closed', async () => {
    const store = memoryStore();
    const { session } = await scriptedSession(script, { store, ...tools, autoApprove: ['Bash'] });
    const other = await resumed(store, session.sessionId, script, tools);
    await session.send('echo a');
    const reading = session.stream();
    await reading.next();

    await expect(other.session.allow('Bash')).rejects.toMatchObject({ code: 'SESSION_BUSY' });

    await reading.return();
    await Promise.all([session.close(), other.session.close()]);
    await expect(session.allow('Bash')).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  });
});
