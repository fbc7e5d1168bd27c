import { type AssistantMessage, userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { storedLog } from '../../test/support/logs.ts';
import { record } from '../../test/support/random-log.ts';
import { created, title } from '../../test/support/store-values.ts';
import { memoryStore } from '../index.ts';
import type { EntryBody } from './entry.ts';
import { cutBehind, lastCompleteTurn, lastWhole, readHistory } from './fork-point.ts';

const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };
const started: EntryBody = { type: 'run_started', runId: 'r', messageId: 'm', model: 'm' };
const ended: EntryBody = { type: 'run_ended', runId: 'r', subtype: 'success', usage };
const asked = (id: string) => record({ type: 'message', message: { ...userMessage('Hi.'), id } });

function reply(id: string, ...callIds: readonly string[]): EntryBody {
  const content = callIds.map((callId) => ({ type: 'tool_use' as const, id: callId, name: 't', input: {} }));
  const facts = { id, createdAt: new Date(0).toISOString(), provider: 'p', model: 'm', usage };
  const message: AssistantMessage = { ...facts, role: 'assistant', content, stopReason: 'tool_use' };
  return record({ type: 'message', message });
}
function finished(callId: string): EntryBody {
  return record({ type: 'tool_finished', callId, result: { output: '', isError: false }, durationMs: 1 });
}
const historyOf = async (...log: readonly EntryBody[]) => readHistory(await storedLog(log), 's');
function refusalOf(cut: () => number): { readonly message: string; readonly code?: string } {
  try {
    return { message: `cut at ${cut()}` };
  } catch (error) {
    return error as Error;
  }
}

describe('readHistory', () => {
  it('refuses a session that is not there', async () => {
    await expect(readHistory(memoryStore(), 's')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('cutBehind', () => {
  it('is behind the message, with the end of its run where that came right behind it', async () => {
    const history = await historyOf(created(), started, asked('u'), reply('a'), ended);

    expect(cutBehind(history, 'u')).toBe(3);
    expect(cutBehind(history, 'a')).toBe(5);
    expect(refusalOf(() => cutBehind(history, 'x')).code).toBe('MESSAGE_NOT_FOUND');
  });

  it.each<[string, string, readonly EntryBody[]]>([
    ['before it', 'fork it at u', [created(), started, asked('u'), reply('a', 'c')]],
    ['behind it', 'fork it at tools:a', [created(), started, reply('a', 'c'), finished('c')]],
    ['around it', 'fork it at u or tools:a', [created(), started, asked('u'), reply('a', 'c'), finished('c')]],
    ['nowhere', 'fork it without a messageId', [created(), started, reply('a', 'c')]],
  ])('names where it can be instead of at open calls: %s', async (_, advice, log) => {
    const history = await historyOf(...log);
    const answers = [...history.points.keys()].find((id) => id !== 'u' && id !== 'a') ?? '';

    const refusal = refusalOf(() => cutBehind(history, 'a'));

    expect(refusal.code).toBe('INVALID_FORK_POINT');
    expect(refusal.message).toMatch(new RegExp(`; ${advice.replace('tools:a', answers)}$`));
  });
});

describe('lastWhole', () => {
  it.each<[string, number, readonly EntryBody[]]>([
    ['all of it where nothing is open', 4, [created(), started, asked('u'), reply('a')]],
    ['the message before a reply whose calls are open', 3, [created(), started, asked('u'), reply('a', 'c')]],
    ['what was before a run of which nothing is recorded', 2, [created(), title('T'), started]],
    ['what was before a run that has said only such a reply', 2, [created(), title('T'), started, reply('a', 'c')]],
    ['the session alone where such a run has ended', 1, [created(), started, reply('a', 'c'), ended]],
  ])('is %s', async (_, seq, log) => {
    expect(lastWhole(await historyOf(...log))).toBe(seq);
  });
});

describe('lastCompleteTurn', () => {
  it.each<[string, number, readonly EntryBody[]]>([
    ['a reply that calls nothing', 4, [created(), started, asked('u'), reply('a'), asked('v')]],
    ['the answers to one', 5, [created(), started, asked('u'), reply('a', 'c'), finished('c'), reply('b', 'd')]],
    ['what was before all runs where no turn is complete', 2, [created(), title('T'), started, asked('u')]],
  ])('is behind %s', async (_, seq, log) => {
    expect(lastCompleteTurn(await historyOf(...log))).toBe(seq);
  });
});
