import { mkdir, mkdtemp, realpath, rm, stat, symlink, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerQuestion, type CanUseTool, memoryStore } from '../../src/index.ts';
import { answerId } from '../../src/questions/open-questions.ts';
import { codeOf, only, read, resultOf, say, scriptedSession } from '../support/makers.ts';
import { resumed } from '../support/resumed.ts';
import { later, paying, waitingSession } from '../support/waiting.ts';

let folder = '';
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'bound-')));
});
afterEach(() => rm(folder, { recursive: true }));

const write = { id: 'w', name: 'Write', input: { file_path: 'note.txt', content: 'New.\n' } };
const writing = [{ toolCalls: [write] }, { text: 'Done.' }];

describe('an answer (V11)', () => {
  it('is about one place: a path that leads elsewhere since then is asked about anew', async () => {
    await mkdir(join(folder, 'a'));
    await mkdir(join(folder, 'b'));
    await symlink(join(folder, 'a'), join(folder, 'here'));
    const input = { file_path: 'here/note.txt', content: 'New.\n' };
    const { session } = await scriptedSession([{ toolCalls: [{ ...write, input }] }, { text: 'Done.' }], {
      allowedTools: ['Write'],
      canUseTool: later,
      cwd: folder,
    });
    const [asked] = resultOf(await say(session, 'Write.')).questions!;

    await session.answer('w', { behavior: 'allow' });
    await unlink(join(folder, 'here'));
    await symlink(join(folder, 'b'), join(folder, 'here'));
    const again = resultOf(await read(session));

    expect(asked?.resolvedPaths).toEqual([join(folder, 'a', 'note.txt')]);
    expect(again.subtype).toBe('waiting');
    expect(again.questions?.map(({ resolvedPaths }) => resolvedPaths)).toEqual([[join(folder, 'b', 'note.txt')]]);
    expect(again.questions?.[0]?.key).not.toBe(asked?.key);
  });

  it('may be given again when the place is the first one again: the one given then is no answer to this question', async () => {
    for (const name of ['a', 'b']) await mkdir(join(folder, name));
    const lead = async (to: string) => {
      await rm(join(folder, 'here'), { force: true });
      await symlink(join(folder, to), join(folder, 'here'));
    };
    await lead('a');
    const input = { file_path: 'here/note.txt', content: 'New.\n' };
    const { session } = await scriptedSession([{ toolCalls: [{ ...write, input }] }, { text: 'Done.' }], {
      allowedTools: ['Write'],
      canUseTool: later,
      cwd: folder,
    });
    await say(session, 'Write.');

    for (const place of ['b', 'a', 'b', 'a']) {
      await session.answer('w', { behavior: 'allow' });
      await lead(place);
      expect(resultOf(await read(session)).subtype).toBe('waiting');
    }
    await session.answer('w', { behavior: 'allow' });

    expect(resultOf(await read(session)).subtype).toBe('success');
    expect((await stat(join(folder, 'a', 'note.txt'))).size).toBe(5);
  });

  it('is about one working directory', async () => {
    const other = join(folder, 'other');
    await mkdir(other);
    const store = memoryStore();
    const { session } = await scriptedSession(writing, {
      allowedTools: ['Write'],
      canUseTool: later,
      cwd: folder,
      store,
    });
    await say(session, 'Write.');
    await session.answer('w', { behavior: 'allow' });
    await session.close();

    const elsewhere = await resumed(store, session.sessionId, writing, { cwd: other, canUseTool: later });

    expect(resultOf(await read(elsewhere.session)).subtype).toBe('waiting');
  });

  it('with the key of a question that was replaced is refused, and nothing is recorded', async () => {
    const { store, sessionId, question, paid, session } = await waitingSession();
    const key = question.key.replace(/./, (digit) => (digit === '0' ? '1' : '0'));
    const answer = (more: { key: string }) =>
      codeOf(answerQuestion({ store, sessionId, callId: 'p1', answer: { behavior: 'allow', ...more } }));

    const refused = await answer({ key });
    const waitingThen = await store.inbox(sessionId);

    expect([refused, waitingThen]).toEqual(['QUESTION_NOT_OPEN', []]);
    expect(await answer({ key: question.key })).toBe('resolved');
    await read(session);
    expect(paid).toEqual(['p1 5']);
  });

  it('holds for one call: the next one like it is asked about', async () => {
    const call = (id: string) => ({ toolCalls: [{ id, name: 'pay', input: { amount: 5 } }] });
    const { session, paid } = await waitingSession({}, [call('p1'), call('p2'), { text: 'Done.' }]);

    await session.answer('p1', { behavior: 'allow' });
    const second = resultOf(await read(session));

    expect([second.subtype, second.questions?.map(({ callId }) => callId)]).toEqual(['waiting', ['p2']]);
    expect(paid).toEqual(['p1 5']);
  });

  it('does not pass a deny rule of whoever goes on', async () => {
    const { session, store, sessionId, paid, pay } = await waitingSession();
    await session.answer('p1', { behavior: 'allow' });
    await session.close();

    const strict = await resumed(store, sessionId, paying, { tools: [pay], disallowedTools: ['pay'] });
    const events = await read(strict.session);

    expect(paid).toEqual([]);
    expect(only(events, 'tool_result')).toMatchObject([{ isError: true }]);
  });

  it('with another input is judged again, and runs that input; a rule it remembers holds from then on', async () => {
    const call = (id: string) => ({ toolCalls: [{ id, name: 'pay', input: { amount: 5 } }] });
    const { session, paid } = await waitingSession({}, [call('p1'), call('p2'), { text: 'Done.' }]);

    await session.answer('p1', { behavior: 'allow', updatedInput: { amount: 3 }, remember: ['pay'] });
    const result = resultOf(await read(session));

    expect(paid).toEqual(['p1 3', 'p2 5']);
    expect(result.subtype).toBe('success');
  });

  it('with an input that does not fit the tool refuses the call', async () => {
    const { session, paid } = await waitingSession();

    await session.answer('p1', { behavior: 'allow', updatedInput: { amount: 'all' } });
    const events = await read(session);

    expect(paid).toEqual([]);
    expect(only(events, 'tool_result')[0]?.output).toContain('does not fit');
  });

  it('is not needed where a rule allows the call by now', async () => {
    const { session, paid } = await waitingSession();

    await session.allow('pay');

    expect(resultOf(await read(session)).subtype).toBe('success');
    expect(paid).toEqual(['p1 5']);
  });

  it('to a session that was forked meanwhile is for the source alone', async () => {
    const { session, paid } = await waitingSession();
    const fork = await session.fork();

    expect(await codeOf(fork.answer('p1', { behavior: 'allow' }))).toBe('QUESTION_NOT_OPEN');
    await session.answer('p1', { behavior: 'allow' });
    await read(session);
    expect(paid).toEqual(['p1 5']);
  });
});

describe('an answer that cannot be', () => {
  const cases: [string, unknown, RegExp][] = [
    ['no object', 'allow', /answer must be an object/],
    ['nothing', undefined, /answer/],
    [
      'a behaviour of canUseTool that answers nothing',
      { behavior: 'wait' },
      /answer\.behavior must be one of allow, deny/,
    ],
    ['a misspelt behaviour', { behavior: 'Allow' }, /answer\.behavior/],
    ['an unknown key', { behavior: 'allow', input: {} }, /unknown input/],
    ['a reason beside an allowance', { behavior: 'allow', message: 'ok' }, /unknown message/],
    ['an answer to a question of the model', { text: 'Yes.' }, /pay waits for a permission/],
    ['neither kind of answer', {}, /\{ behavior: 'allow' \}/],
    ['an input that JSON cannot hold', { behavior: 'allow', updatedInput: { amount: 1n } }, /JSON|number/],
  ];

  it.each(cases)('%s is refused, and the question stays open', async (_what, answer, message) => {
    const { session, store, sessionId } = await waitingSession();

    await expect(session.answer('p1', answer as never)).rejects.toThrow(message);
    expect(await codeOf(session.answer('p1', answer as never))).toBe('VALIDATION_ERROR');

    expect(await store.inbox(sessionId)).toEqual([]);
    expect(resultOf(await read(session)).subtype).toBe('waiting');
  });

  it('of another call or session says which questions are open', async () => {
    const { session, store } = await waitingSession();
    const allow = { behavior: 'allow' } as const;

    await expect(session.answer('p2', allow)).rejects.toThrow(
      'No question about p2 is open in this session: it was never asked, was answered, or was withdrawn; open are those about p1',
    );
    expect(await codeOf(answerQuestion({ store, sessionId: 'gone', callId: 'p1', answer: allow }))).toBe(
      'SESSION_NOT_FOUND',
    );
    expect(await codeOf(answerQuestion({ store, sessionId: 's', callId: 1, answer: allow } as never))).toBe(
      'VALIDATION_ERROR',
    );
  });

  it('waits in vain when its question was withdrawn at the same moment, and disturbs nothing', async () => {
    const script = [
      { toolCalls: [{ id: 'p1', name: 'pay', input: { amount: 5 } }] },
      { text: 'Stopped.' },
      { text: 'Hello.' },
    ];
    const { session, store, sessionId, question, paid } = await waitingSession({}, script);
    const message = { id: answerId(question), createdAt: '', role: 'user' as const, content: [] };
    session.abort();
    await session.allow('pay'); // recorded behind the end of the run
    const late = { callId: 'p1', answer: { behavior: 'allow' } };
    await store.enqueue(sessionId, { message, priority: 'later', answer: late });

    expect(await codeOf(session.stream().next())).toBe('NOTHING_TO_STREAM');
    expect(await store.inbox(sessionId)).toEqual([]);
    expect(resultOf(await say(session, 'Hi.')).subtype).toBe('success');
    expect(paid).toEqual([]);
  });
});

describe('canUseTool that lets a call wait', () => {
  it('after it has changed the input: the question and the answer are about the changed one', async () => {
    const canUseTool: CanUseTool = async (_name, input) =>
      (input as { amount: number }).amount > 4
        ? { behavior: 'allow', updatedInput: { amount: 4 } }
        : { behavior: 'wait' };
    const { session, question, paid } = await waitingSession({ canUseTool });

    await session.answer('p1', { behavior: 'allow' });
    await read(session);

    expect(question.input).toEqual({ amount: 4 });
    expect(paid).toEqual(['p1 4']);
  });

  it('writes nothing before the answer', async () => {
    await writeFile(join(folder, 'note.txt'), 'Old.\n');
    const { session } = await scriptedSession(writing, { allowedTools: ['Write'], canUseTool: later, cwd: folder });

    expect(resultOf(await say(session, 'Write.')).questions).toMatchObject([{ toolName: 'Write', input: write.input }]);
  });
});
