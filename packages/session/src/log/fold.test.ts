import { fc, test } from '@fast-check/vitest';
import { type AssistantMessage, type RunRecord, type TokenUsage, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { record } from '../../test/support/random-log.ts';
import type { EntryBody } from './entry.ts';
import { answersForOpenCalls, apply, emptyState, type SessionState, scopeFrom, scopeKey, scopeOf } from './fold.ts';
import { packState, unpackState } from './pack-state.ts';

const usage: TokenUsage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };

function folded(...bodies: readonly EntryBody[]): SessionState {
  const state = emptyState();
  const begin: EntryBody[] = [
    { type: 'session_created', format: 1, cwd: '/work' },
    { type: 'run_started', runId: 'r', messageId: 'm', model: 'm' },
  ];
  for (const body of [...begin, ...bodies]) apply(state, body);
  return state;
}

function reply(...callIds: readonly string[]): AssistantMessage {
  const content = callIds.map((id) => ({ type: 'tool_use' as const, id, name: 't', input: {} }));
  const facts = { id: crypto.randomUUID(), createdAt: new Date(0).toISOString(), provider: 'p', model: 'm', usage };
  return { ...facts, role: 'assistant', content, stopReason: 'tool_use' };
}

const said = (message: AssistantMessage | ReturnType<typeof userMessage>, scope: readonly string[] = []) =>
  record({ type: 'message', message }, scope);
const note = (name: string, data: unknown, scope: readonly string[] = []) =>
  record({ type: 'note', name, data }, scope);

describe('the end of a call and of a run', () => {
  it('is not taken back by a start that is recorded behind it', () => {
    const state = folded(said(reply('a', 'b')), started('a'), finished('a'), started('a'));

    expect(scopeOf(state, []).calls?.get('a')).toMatchObject({ state: 'finished' });
  });

  it('forgets what subagents have left open', () => {
    const inner = [said(reply('w'), ['a']), started('w', ['a'])];
    const ended: EntryBody = { type: 'run_ended', runId: 'r', subtype: 'error', usage };

    const state = folded(said(reply('a')), started('a'), ...inner, finished('a'), ended);

    expect([...state.scopes.keys()]).toEqual(['']);
  });
});

function started(callId: string, scope: readonly string[] = []): EntryBody {
  const facts = { callId, name: 't', input: {}, effect: 'pure', idempotencyKey: `s:${callId}` } as const;
  return record({ type: 'tool_started', ...facts }, scope);
}

function finished(callId: string, scope: readonly string[] = []): EntryBody {
  return record({ type: 'tool_finished', callId, result: { output: callId, isError: false }, durationMs: 1 }, scope);
}

const cutAt = (keptFrom: string, pinned: readonly string[] = []): RunRecord => {
  return { type: 'compaction', id: 'sum', createdAt: 'then', summary: 'So far.', keptFrom, pinned, tokensBefore: 9 };
};

describe('apply', () => {
  it('puts the summary, what was pinned and what was kept in the place of the history', () => {
    const [first, pinned, third, kept] = ['1', '2', '3', '4'].map(userMessage) as [never, never, never, never];
    const ids = [first, pinned, third, kept].map(({ id }: { id: string }) => id);
    const state = folded(...[first, pinned, third, kept].map((one) => said(one)), record(cutAt(ids[3]!, [ids[1]!])));

    expect(scopeOf(state, []).messages).toEqual([
      { id: 'sum', createdAt: 'then', role: 'user', content: [{ type: 'text', text: 'So far.' }] },
      pinned,
      kept,
    ]);
  });

  it('cuts nothing at a message that is not there', () => {
    const message = userMessage('1');

    const state = folded(said(message), record(cutAt('elsewhere')));

    expect(scopeOf(state, []).messages).toEqual([message]);
  });

  it('adds the usage of calls that made no message to that of the run', () => {
    const state = folded(said(reply()), note('usage', { provider: 'p', model: 'm', usage }), note('other', { usage }));

    expect(state.runUsage).toEqual({ inputTokens: 6, outputTokens: 4, totalTokens: 10 });
  });

  it.each([null, {}, { provider: 'p' }, 'odd', 7])('takes a note of usage that holds none, %j, for none', (data) => {
    expect(folded(said(reply()), note('usage', data)).runUsage).toEqual(usage);
  });

  it('makes no answer of results that come when something else was said behind their reply', () => {
    const [asked, between] = [reply('a'), userMessage('Wait.')];

    const state = folded(said(asked), said(between), finished('a'));

    expect(scopeOf(state, []).messages).toEqual([asked, between]);
    expect(scopeOf(state, []).calls?.get('a')).toMatchObject({ state: 'finished' });
  });

  it.each<[string, object]>([
    ['A session has a working directory', { type: 'session_created', format: 1 }],
    ['A title is a text', { type: 'title', title: 7 }],
    ['Metadata is a record', { type: 'metadata', metadata: null }],
    ['Metadata is a record', { type: 'metadata', metadata: 'a' }],
    ['Allowed rules are a list', { type: 'rules_allowed', rules: 'Bash' }],
  ])('refuses an entry that is damaged: %s', (message, body) => {
    const state = folded();

    expect(() => apply(state, body as EntryBody)).toThrow(new TypeError(message));
    expect(state.head).toBe(2);
  });

  it('drops the notes about a call once its reply is answered, and keeps the others', () => {
    const open = folded(said(reply('c1')), note('permission:c1', 1), note('mine', 2), started('c1'));
    const names = () => [...scopeOf(open, []).notes.keys()];

    expect(names()).toEqual(['permission:c1', 'mine']);
    apply(open, finished('c1'));
    expect(names()).toEqual(['mine']);
  });

  it('forgets the run of a subagent with the call that started it, and those below', () => {
    const state = folded(said(reply('t1', 't2')), said(userMessage('a'), ['t1']), said(userMessage('b'), ['t1', 'x']));
    apply(state, said(userMessage('c'), ['t2']));

    apply(state, finished('t1'));

    expect([...state.scopes.keys()].map(scopeFrom)).toEqual([[], ['t2']]);
  });

  test.prop([fc.array(fc.array(fc.string({ unit: fc.constantFrom('a', '/', ':', '1', '\0') }), { maxLength: 3 }))])(
    'keeps scopes apart, whatever their call ids hold',
    (scopes) => {
      expect(scopes.map((scope) => scopeFrom(scopeKey(scope)))).toEqual(scopes);
      expect(new Set(scopes.map(scopeKey)).size).toBe(new Set(scopes.map((scope) => JSON.stringify(scope))).size);
    },
  );
});

describe('pins in the log', () => {
  const pin = (name: string, hash: string) => ({ serverName: 's', name, hash });

  it.each([undefined, null, 7])('are a list, also in the first entry of them: not %j', (pins) => {
    const body = { type: 'mcp_pins', pins } as unknown as EntryBody; // safe: a damaged log may hold anything

    expect(() => apply(emptyState(), body)).toThrow('not iterable');
  });

  it('are the last one of each tool, also where one entry has a tool twice', () => {
    const state = folded({ type: 'mcp_pins', pins: [pin('a', '1'), pin('b', '1'), pin('a', '2')] });
    expect(state.mcpPins).toEqual([pin('a', '2'), pin('b', '1')]);

    apply(state, { type: 'mcp_pins', pins: [pin('b', '3')] });

    expect(state.mcpPins).toEqual([pin('a', '2'), pin('b', '3')]);
  });
});

describe('answersForOpenCalls', () => {
  it('answers those of subagents first, each in its scope, once', () => {
    const state = folded(said(reply('t1')), started('t1'), said(reply('a', 'b'), ['t1']), started('a', ['t1']));

    const answers = answersForOpenCalls(unpackState(packState(state)));

    expect(answers).toMatchObject([
      { scope: ['t1'], record: { callId: 'a', result: { interrupted: 'unknown' } } },
      { scope: ['t1'], record: { callId: 'b', result: { interrupted: 'not_run' } } },
      { scope: [], record: { callId: 't1', result: { interrupted: 'unknown' } } },
    ]);
    for (const body of answers) apply(state, body);
    expect(answersForOpenCalls(state)).toEqual([]);
  });

  it('keeps the run of a subagent while a call of it is open, also when its own call is answered', () => {
    const state = folded(said(reply('t1')), started('t1'), said(reply('a'), ['t1']), finished('t1'));

    expect(answersForOpenCalls(state)).toMatchObject([{ scope: ['t1'], record: { callId: 'a' } }]);
  });
});
