import type { AssistantMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { storedLog } from '../../test/support/logs.ts';
import { record } from '../../test/support/random-log.ts';
import { created, title } from '../../test/support/store-values.ts';
import type { EntryBody } from '../log/entry.ts';
import { lastAnswer } from './agent-answer.ts';

const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };
type Ended = Extract<EntryBody, { type: 'run_ended' }>;
const started: EntryBody = { type: 'run_started', runId: 'r', messageId: 'm', model: 'm' };
const ended = (subtype: Ended['subtype'], more: Partial<Ended> = {}): EntryBody => {
  return { type: 'run_ended', runId: 'r', subtype, usage, ...more };
};
function said(text: string): EntryBody {
  const facts = { id: text, createdAt: new Date(0).toISOString(), provider: 'p', model: 'm', usage };
  const message: AssistantMessage = {
    ...facts,
    role: 'assistant',
    content: [{ type: 'text', text }],
    stopReason: 'end',
  };
  return record({ type: 'message', message });
}
const titles = (count: number) => Array.from({ length: count }, (_, index) => title(`${index}`));
const answerIn = async (...log: readonly EntryBody[]) => lastAnswer(await storedLog([created(), ...log]), 's');

describe('lastAnswer', () => {
  it.each<[string, readonly EntryBody[], string]>([
    ['what it said last', [started, said('One.'), said('Two.'), ended('success')], 'Two.'],
    ['that it ended without a word', [started, ended('success')], 'It has ended its task without a word.'],
    [
      'why it failed',
      [started, said('One.'), ended('error', { error: { code: 'C', message: 'No model.' } })],
      'It has failed: No model.',
    ],
    ['that it failed, where the log does not say why', [started, ended('error')], 'It has failed: '],
    [
      'that it was stopped, and what it said by then',
      [started, said('One.'), ended('max_turns')],
      'It was stopped at its limit of turns, before its task was done. What it said last:\n\nOne.',
    ],
    [
      'the end of the last of several runs',
      [started, said('One.'), ended('error'), started, said('Two.'), ended('success')],
      'Two.',
    ],
    ['no more than 100,000 characters', [started, said('x'.repeat(100_001)), ended('success')], 'x'.repeat(100_000)],
  ])('tells %s', async (_, log, text) => {
    expect(await answerIn(...log)).toEqual({ id: 'answer:s:m', text });
  });

  it.each<[string, readonly EntryBody[]]>([
    ['there was no run', []],
    ['there was none in a long log', titles(40)],
    ['the run was aborted', [started, said('One.'), ended('aborted')]],
    ['the run goes on', [started, said('One.')]],
    ['an earlier run has ended and another goes on', [started, said('One.'), ended('success'), started]],
  ])('tells nothing where %s', async (_, log) => {
    expect(await answerIn(...log)).toBeUndefined();
  });

  it.each([0, 14, 15, 16, 120, 200])('finds the end of a run %i entries before the end of the log', async (behind) => {
    const answer = await answerIn(...titles(200), started, said('One.'), ended('success'), ...titles(behind));

    expect(answer).toEqual({ id: 'answer:s:m', text: 'One.' });
  });

  it('finds the beginning of a run that is far before its end', async () => {
    const answer = await answerIn(started, ...titles(40), said('One.'), ended('success'));

    expect(answer).toEqual({ id: 'answer:s:m', text: 'One.' });
  });
});
