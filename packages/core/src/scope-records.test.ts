import { describe, expect, it } from 'vitest';
import type { RunRecord } from './journal.ts';
import { noUsage } from './message.ts';
import { applyRecord, emptyScope, unusedCallId } from './scope-records.ts';

describe('applyRecord', () => {
  it('makes the answers one message, in the order of the calls, once the last has come', () => {
    const { messages, calls, turns } = scopeAfter(reply('a', 'b'), finished('b'), started('a'), finished('a'));

    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
    expect(messages[1]?.content).toMatchObject([{ toolUseId: 'a' }, { toolUseId: 'b' }]);
    expect(calls).toBeUndefined();
    expect(turns).toBe(1);
  });

  it('drops the notes about a call with its answer, and no others', () => {
    const { notes } = scopeAfter(reply('a'), note('decision:a'), note('retries'), finished('a'));

    expect([...notes.keys()]).toEqual(['retries']);
  });

  it('counts the owners that have begun a call, not their attempts', () => {
    const scope = scopeAfter(reply('a'));
    for (const owner of [1, 1, 2]) applyRecord(scope, started('a'), owner);

    expect(scope.calls?.get('a')).toMatchObject({ state: 'started', attempts: 2, owner: 2 });
  });

  it.each([
    ['a result that comes twice', [reply('a'), started('a'), finished('a'), finished('a')], ['assistant', 'tool'], []],
    ['a start behind its result', [reply('a', 'b'), finished('a'), started('a')], ['assistant'], ['a: finished']],
    ['a result before any reply', [finished('a'), reply('a')], ['assistant'], []],
    ['a start before any reply', [started('a'), reply('a')], ['assistant'], []],
  ])('leaves %s out of the view', (_, records, roles, calls) => {
    const scope = scopeAfter(...records);

    expect(scope.messages.map(({ role }) => role)).toEqual(roles);
    expect([...(scope.calls ?? [])].map(([id, { state }]) => `${id}: ${state}`)).toEqual(calls);
  });
});

describe('unusedCallId', () => {
  it('is the id itself, unless it is empty or used', () => {
    const isUsed = (id: string) => id === 'used';

    expect(unusedCallId('own', isUsed)).toBe('own');
    expect(unusedCallId('used', isUsed)).toMatch(/^call_[0-9a-f]{32}$/);
    expect(unusedCallId('', isUsed)).toMatch(/^call_[0-9a-f]{32}$/);
  });
});

function scopeAfter(...records: readonly RunRecord[]) {
  const scope = emptyScope();
  for (const record of records) applyRecord(scope, record);
  return scope;
}

function reply(...calls: readonly string[]): RunRecord {
  const content = calls.map((id) => ({ type: 'tool_use' as const, id, name: 't', input: {} }));
  const facts = { provider: 'p', model: 'm', usage: noUsage(), stopReason: 'tool_use' as const };
  return { type: 'message', message: { id: crypto.randomUUID(), createdAt: '', role: 'assistant', content, ...facts } };
}

function started(callId: string): RunRecord {
  return { type: 'tool_started', callId, name: 't', input: {}, effect: 'pure', idempotencyKey: callId };
}

function finished(callId: string): RunRecord {
  return { type: 'tool_finished', callId, result: { output: callId, isError: false }, durationMs: 0 };
}

function note(name: string): RunRecord {
  return { type: 'note', name, data: 1 };
}
