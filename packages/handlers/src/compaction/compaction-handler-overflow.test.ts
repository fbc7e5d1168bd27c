import { AgentError, type AgentEvent, type Message, type ModelNext, type ModelRequest } from '@x/core';
import { compacted } from '@x/core/internal';
import { collect, type Script } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  atBoundary,
  kindsOf,
  overloaded,
  type Parts,
  recordIn,
  setUp,
  summaryReply,
} from '../../test/compaction-parts.ts';
import { answered, longTurn } from '../../test/histories.ts';
import { requestOf } from '../../test/journaled-run.ts';
import type { CompactionOptions } from './compaction-options.ts';

const overflow = () => Object.assign(new AgentError('too long', { code: 'MODEL_ERROR' }), { contextOverflow: true });

describe('compactionHandler on overflow', () => {
  const isSummary = ({ instruction }: ModelRequest) => instruction.startsWith('You condense');
  /** Refuses histories of more than `most` messages. */
  const narrow =
    (most: number): Script =>
    (request) => {
      if (isSummary(request)) return summaryReply;
      return request.messages.length > most ? { error: overflow() } : { text: 'Done.' };
    };
  const calling = ({ handler, model, run }: Parts, messages: readonly Message[], signal?: AbortSignal) =>
    handler.wrapModelCall!(requestOf(messages, signal), (request) => model.stream(request), run);

  it('compacts, and calls once more with what is left', async () => {
    const parts = setUp(narrow(8));
    const messages = longTurn(6, 500);

    const { events, value } = await collect(calling(parts, messages));

    expect(kindsOf(events)).toEqual(['usage', 'compaction', 'content']);
    expect(value.content).toEqual([{ type: 'text', text: 'Done.' }]);
    expect(parts.model.requests.at(-1)!.messages).toEqual(compacted(messages, recordIn(parts)!));
  });

  it('cuts a history too that is far below what the window is said to be', async () => {
    const parts = setUp(narrow(8));
    const messages = longTurn(6, 10);

    const { value } = await collect(calling(parts, messages));

    expect(value.content).toEqual([{ type: 'text', text: 'Done.' }]);
  });

  it('applies the cut to the history of the loop, at the end of the turn or at the next', async () => {
    const parts = setUp(narrow(8));
    const [messages, reply] = [longTurn(6, 500), answered({ text: 'Done.' })];
    await collect(calling(parts, messages));

    const after = await parts.handler.afterModelRewriteHistory!([...messages, ...reply], parts.run);
    const next = await atBoundary(parts, after);

    expect(after).toEqual(compacted([...messages, ...reply], recordIn(parts)!));
    expect(next).toBe(after);
  });

  it('applies it at the next turn when the reply was cut off', async () => {
    const parts = setUp(narrow(8));
    const messages = longTurn(6, 500);
    await collect(calling(parts, messages));

    expect(await atBoundary(parts, messages)).toEqual(compacted(messages, recordIn(parts)!));
  });

  it('does not call a third time', async () => {
    const parts = setUp(narrow(0));

    await expect(collect(calling(parts, longTurn(6, 500)))).rejects.toThrow('too long');

    expect(parts.model.requests.filter((request) => !isSummary(request))).toHaveLength(2);
  });

  it.each<[string, Partial<CompactionOptions>, Script]>([
    ['the hook blocks it', { hook: () => ({ blocked: true }) }, narrow(8)],
    ['there is no summary', {}, (request) => (isSummary(request) ? { text: '' } : { error: overflow() })],
  ])('passes the refusal on when %s, and says why', async (_, options, script) => {
    const parts = setUp(script, options);
    const stream = calling(parts, longTurn(6, 500));
    const seen: AgentEvent[] = [];

    const reading = (async () => {
      for await (const event of stream) seen.push(event);
    })();

    await expect(reading).rejects.toThrow('too long');
    expect(kindsOf(seen).at(-1)).toMatch(/^compaction_(blocked|failed)$/);
    expect(recordIn(parts)).toBeUndefined();
  });

  it('passes the refusal on when nothing can be cut', async () => {
    const parts = setUp(narrow(0));

    await expect(collect(calling(parts, longTurn(1, 40_000)))).rejects.toThrow('too long');

    expect(parts.model.requests).toHaveLength(1);
  });

  it.each([
    ['another error', { error: overloaded() }],
    ['an overflow after the first delta', { text: 'a', error: overflow() }],
  ])('leaves alone %s', async (_, reply) => {
    const parts = setUp([reply]);

    await expect(collect(calling(parts, longTurn(6, 500)))).rejects.toBe(reply.error);

    expect(parts.model.requests).toHaveLength(1);
  });

  it('does not summarise for a call that was aborted', async () => {
    const controller = new AbortController();
    const parts = setUp();
    const aborting: ModelNext = async function* () {
      controller.abort();
      throw overflow();
    };

    const stream = parts.handler.wrapModelCall!(requestOf(longTurn(6, 500), controller.signal), aborting, parts.run);

    await expect(collect(stream)).rejects.toThrow('too long');
    expect(parts.model.requests).toHaveLength(0);
  });
});
