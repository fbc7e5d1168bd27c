import { type Message, ValidationError } from '@x/core';
import { compacted } from '@x/core/internal';
import { type Script, type ScriptedReply, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { longTurn } from '../../test/histories.ts';
import { journaledRun } from '../../test/journaled-run.ts';
import { compactionHandler } from './compaction-handler.ts';
import type { CompactionOptions } from './compaction-options.ts';
import { contextStatus, requestCompaction } from './compaction-request.ts';

const summary: ScriptedReply = { text: 'The gist.', usage: { inputTokens: 7, outputTokens: 3 } };

function setUp(
  script: Script = () => summary,
  options: Partial<CompactionOptions> = {},
  attempt: Parameters<typeof journaledRun>[0] = {},
) {
  const model = scriptedModel(script, { contextWindow: 1_000_000 });
  const handler = compactionHandler({ model: () => model, ...options });
  const parts = journaledRun(attempt);
  const turn = async (messages: readonly Message[]) => await handler.beforeModelRewriteHistory!(messages, parts.run);
  return { ...parts, model, turn };
}
const instructionIn = ({ model }: ReturnType<typeof setUp>) => JSON.stringify(model.requests[0]);

describe('requestCompaction', () => {
  it('compacts before the next model call, far below the threshold, and only once', async () => {
    const parts = setUp();
    const messages = longTurn(6, 500);

    await requestCompaction(parts.run, { instructions: 'Keep the names.' });
    const view = await parts.turn(messages);
    const next = await parts.turn(view);

    const record = parts.records.find(({ type }) => type === 'compaction');
    expect(view).toEqual(compacted(messages, record as never));
    expect(view.length).toBeLessThan(messages.length);
    expect(next).toEqual(view);
    expect(instructionIn(parts)).toContain('Keep the names.');
    expect(parts.model.requests).toHaveLength(1);
  });

  it('is durable before it is answered', async () => {
    const parts = setUp();

    await requestCompaction(parts.run);

    expect(parts.records).toEqual([{ type: 'note', name: 'compaction_wish', data: {} }]);
  });

  it('is found again by a run that goes on after a crash', async () => {
    const parts = setUp(() => summary, {}, { notes: { compaction_wish: {} } });
    const messages = longTurn(6, 500);

    expect((await parts.turn(messages)).length).toBeLessThan(messages.length);
  });

  it('leaves the history alone without it, so that the cells above mean something', async () => {
    const parts = setUp();
    const messages = longTurn(6, 500);

    expect(await parts.turn(messages)).toBe(messages);
  });

  it.each<[string, Script, Partial<CompactionOptions>, string]>([
    ['a hook blocks it', () => summary, { hook: () => ({ blocked: true }) }, 'compaction_blocked'],
    ['there is no summary', () => ({ text: '' }), {}, 'compaction_failed'],
  ])('keeps the history, and says so, when %s', async (_, script, options, kind) => {
    const parts = setUp(script, options);
    const messages = longTurn(6, 500);

    await requestCompaction(parts.run);
    const view = await parts.turn(messages);
    await parts.turn(messages);

    const notices = parts.emitted.filter(({ type }) => type === 'notification');
    expect(view).toBe(messages);
    expect(notices).toEqual([expect.objectContaining({ kind })]);
  });

  it('says so when there is nothing to compact', async () => {
    const parts = setUp();
    const messages = longTurn(6, 500).slice(0, 1);

    await requestCompaction(parts.run);

    expect(await parts.turn(messages)).toBe(messages);
    expect(parts.emitted).toMatchObject([{ type: 'notification', kind: 'compaction_failed' }]);
  });

  it.each([{ instruction: 'x' }, { instructions: 1 }])('refuses %o', async (wish) => {
    await expect(requestCompaction(setUp().run, wish as never)).rejects.toBeInstanceOf(ValidationError);
  });
});

describe('contextStatus', () => {
  it('tells what was sent last, and how much fits', async () => {
    const parts = setUp();
    const messages = longTurn(6, 500);

    await parts.turn(messages);

    expect(contextStatus(parts.run)).toEqual({
      messages: messages.length,
      tokens: expect.any(Number),
      contextWindow: 1_000_000,
    });
    expect(contextStatus(parts.run)!.tokens).toBeGreaterThan(0);
  });

  it('is unknown before the first model call', () => {
    expect(contextStatus(setUp().run)).toBeUndefined();
  });
});
