import { type AgentHandler, type ModelRequest, textOf, type UserMessage } from '@x/core';
import { compacted } from '@x/core/internal';
import { type ScriptedReply, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { atBoundary, kindsOf, overloaded, recordIn, setUp, summaryReply, window } from '../../test/compaction-parts.ts';
import { answered, longTurn, said } from '../../test/histories.ts';
import { journaledRun } from '../../test/journaled-run.ts';
import { modelRetryHandler } from '../model-retry/model-retry-handler.ts';
import { compactionHandler } from './compaction-handler.ts';

/** The service has counted nine tenths of the window. */
const full = { inputTokens: 880, outputTokens: 20 };
const bigRecord = ({ requests }: { requests: readonly ModelRequest[] }, index = 0) =>
  textOf(requests[index]!.messages[0] as UserMessage); // safe: a summary is asked for with one user message

describe('compactionHandler at the threshold', () => {
  it('puts a summary in the place of older messages, recorded and told', async () => {
    const parts = setUp();
    const messages = longTurn(6, 500, full);

    const view = await atBoundary(parts, messages);

    const record = recordIn(parts)!;
    expect(record).toMatchObject({
      summary: 'The conversation up to here was condensed to this summary:\n\nThe gist.',
      keptFrom: messages[9]!.id,
      pinned: [messages[0]!.id],
      tokensBefore: expect.any(Number),
    });
    expect(view).toEqual(compacted(messages, record));
    expect(view).toHaveLength(6);
    expect(messages.every(({ createdAt }) => createdAt < view[0]!.createdAt)).toBe(true);
    expect(view[0]).toMatchObject({ role: 'user', id: record.id });
    const { createdAt: _, ...event } = record;
    expect(parts.emitted).toEqual([
      { type: 'usage', model: 'scripted', usage: { inputTokens: 700, outputTokens: 30, totalTokens: 730 } },
      event,
    ]);
  });

  it('writes what the summary has cost as a note, with the record', async () => {
    const parts = setUp();

    await atBoundary(parts, longTurn(6, 500, full));

    expect(parts.records.map(({ type }) => type)).toEqual(['note', 'compaction']);
    expect(parts.records[0]).toEqual({
      type: 'note',
      name: 'usage',
      data: {
        provider: 'scripted',
        model: 'scripted',
        usage: { inputTokens: 700, outputTokens: 30, totalTokens: 730 },
        purpose: 'compaction',
      },
    });
  });

  it('leaves a history alone that is below it', async () => {
    const parts = setUp();
    const messages = longTurn(6, 500, { inputTokens: 600, outputTokens: 20 });

    expect(await atBoundary(parts, messages)).toBe(messages);
    expect(parts.model.requests).toHaveLength(0);
  });

  it('takes another threshold, and counts instruction and tools where the service counted nothing', async () => {
    const early = setUp(undefined, { threshold: 0.5 });
    const crowded = setUp(undefined, { threshold: 0.9 });
    const options = { maxTurns: 5 };
    const messages = longTurn(6, 500, { inputTokens: 600, outputTokens: 20 });
    const uncounted = longTurn(4, 500);

    await crowded.handler.beforeAgent!({ instruction: 'x'.repeat(2_000), tools: [], input: [], options }, crowded.run);

    expect(await atBoundary(early, messages)).not.toBe(messages);
    expect(await atBoundary(crowded, uncounted)).not.toBe(uncounted);
  });

  it('asks for the summary without tools, with the replaced messages as text, and nothing of what is kept', async () => {
    const parts = setUp(undefined, { instructions: 'Name every file.' });

    await atBoundary(parts, longTurn(6, 500, full));

    const [request] = parts.model.requests;
    expect(request).toMatchObject({ tools: [], instruction: expect.stringMatching(/\n\nName every file\.$/) });
    expect(bigRecord(parts.model)).toContain('[result of Read]\n  0...');
    expect(bigRecord(parts.model)).not.toContain('\n  5...');
  });

  it('keeps pinned messages as they are', async () => {
    const messages = [said('Never push.'), ...answered({ text: 'Understood.' }), ...longTurn(6, 500, full)];
    const parts = setUp(undefined, { pinned: (message) => message === messages[0] });

    const view = await atBoundary(parts, messages);

    expect(view[1]).toBe(messages[0]);
  });

  it('shortens what is to be summarised, so that the call for it fits the window itself', async () => {
    const parts = setUp();

    await atBoundary(parts, longTurn(4, 100_000, full));

    expect(bigRecord(parts.model).length / 4).toBeLessThan(window * 0.7);
  });

  it('summarises the first summary with the rest when it compacts again', async () => {
    const parts = setUp((_, turn) => ({ text: `Summary ${turn}.` }));

    const first = await atBoundary(parts, longTurn(6, 500, full));
    const later = answered({ calls: ['x'.repeat(4_000)] });
    const second = await atBoundary(parts, [...first, ...later]);

    expect(bigRecord(parts.model, 1)).toContain('Summary 1.');
    expect(second.filter(({ role }) => role === 'user')).toHaveLength(2);
    expect(textOf(second[0] as UserMessage)).toContain('Summary 2.');
  });

  it('does not trust what was counted before the cut, not even in the next run', async () => {
    const parts = setUp();
    const view = await atBoundary(parts, longTurn(6, 500, full));
    const resumed = { ...parts, ...journaledRun() };

    expect(await atBoundary(parts, view)).toBe(view);
    expect(await atBoundary(resumed, view)).toBe(view);
    expect(parts.model.requests).toHaveLength(1);
  });

  it('does not try again and again where nothing can be cut', async () => {
    const asked: unknown[] = [];
    const parts = setUp(undefined, { hook: (attempt) => (asked.push(attempt), { blocked: false }) });
    const messages = longTurn(1, 40_000, full);

    expect(await atBoundary(parts, messages)).toBe(messages);
    expect(await atBoundary(parts, messages)).toBe(messages);

    expect(asked).toEqual([]);
    expect(parts.model.requests).toHaveLength(0);
  });

  it('can be blocked once in a run; of later attempts the hook is told', async () => {
    const asked: unknown[] = [];
    const parts = setUp(undefined, { hook: (attempt) => (asked.push(attempt), { blocked: true }) });
    const messages = longTurn(6, 500, full);

    await atBoundary(parts, messages);
    await atBoundary(parts, [...messages, said('x'.repeat(500))]);

    expect(asked).toHaveLength(2);
    expect(kindsOf(parts.emitted)).toEqual(['compaction_blocked', 'usage', 'compaction']);
  });

  it('can be blocked, and asks again only when the history has grown', async () => {
    const asked: unknown[] = [];
    const parts = setUp(undefined, { hook: (attempt) => (asked.push(attempt), { blocked: asked.length === 1 }) });
    const messages = longTurn(6, 500, full);

    expect(await atBoundary(parts, messages)).toBe(messages);
    expect(await atBoundary(parts, messages)).toBe(messages);
    const grown = await atBoundary(parts, [...messages, said('x'.repeat(500))]);

    expect(asked).toHaveLength(2);
    expect(asked[0]).toEqual({ trigger: 'auto', messagesBefore: 13, tokensBefore: expect.any(Number) });
    expect(kindsOf(parts.emitted)).toEqual(['compaction_blocked', 'usage', 'compaction']);
    expect(grown).not.toHaveLength(14);
  });

  it.each<[string, ScriptedReply]>([
    ['the call fails', { error: new Error('no') }],
    ['the summary is empty', { text: ' ' }],
    ['the model refuses', { text: 'I will not.', stopReason: 'refusal' }],
  ])('goes on with the whole history when %s', async (_, reply) => {
    const parts = setUp([reply]);
    const messages = longTurn(6, 500, full);

    expect(await atBoundary(parts, messages)).toBe(messages);
    expect(await atBoundary(parts, messages)).toBe(messages);

    expect(kindsOf(parts.emitted).at(-1)).toBe('compaction_failed');
    expect(recordIn(parts)).toBeUndefined();
    expect(parts.model.requests).toHaveLength(1);
  });

  it('counts what a summary has cost that cannot be used', async () => {
    const parts = setUp([{ text: '', usage: { inputTokens: 700, outputTokens: 1 } }]);

    await atBoundary(parts, longTurn(6, 500, full));

    expect(parts.records).toMatchObject([{ type: 'note', name: 'usage', data: { usage: { inputTokens: 700 } } }]);
    expect(kindsOf(parts.emitted)).toEqual(['usage', 'compaction_failed']);
  });

  it('does not use a cut that was not recorded', async () => {
    const parts = { ...setUp(), ...journaledRun({ failure: new Error('lost') }) };

    await expect(atBoundary(parts, longTurn(6, 500, full))).rejects.toThrow('lost');

    expect(parts.emitted).toEqual([]);
  });

  it('ends at once on abort, even when the model does not listen, and counts an estimate', async () => {
    const controller = new AbortController();
    const deaf = scriptedModel([], { contextWindow: window });
    const model = {
      ...deaf,
      stream: async function* () {
        yield { type: 'content' as const, delta: 'The ' };
        controller.abort();
        return await new Promise<never>(() => undefined);
      },
    };
    const { run, records } = journaledRun({ signal: controller.signal });
    const messages = longTurn(6, 500, full);

    const view = await compactionHandler({ model: () => model }).beforeModelRewriteHistory!(messages, run);

    expect(view).toBe(messages);
    expect(records).toMatchObject([{ name: 'usage', data: { usage: { estimated: true, outputTokens: 1 } } }]);
  });

  it('makes the call for the summary through the layers inside of it', async () => {
    const layers: AgentHandler[] = [modelRetryHandler({ baseMs: 1 })];
    const parts = setUp([{ error: overloaded() }, summaryReply], { inside: layers });
    const bare = setUp([{ error: overloaded() }, summaryReply]);

    await atBoundary(parts, longTurn(6, 500, full));
    await atBoundary(bare, longTurn(6, 500, full));

    expect(kindsOf(parts.emitted)).toEqual(['model_retry', 'usage', 'compaction']);
    expect(kindsOf(bare.emitted)).toEqual(['compaction_failed']);
  });

  it('never compacts at a threshold where the model does not know its window', async () => {
    const model = scriptedModel([], { contextWindow: 0 });
    const messages = longTurn(6, 500, full);

    const view = await compactionHandler({ model: () => model }).beforeModelRewriteHistory!(
      messages,
      journaledRun().run,
    );

    expect(view).toBe(messages);
  });
});
