import { AgentError, type AgentEvent, type ModelNext, type RunContext, ValidationError } from '@x/core';
import { collect, type Script, type ScriptedModel, scriptedModel } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { journaledRun, requestOf } from '../../test/journaled-run.ts';
import { Pipeline } from '../pipeline.ts';
import { type FallbackModelHandler, fallbackModelHandler } from './fallback-model-handler.ts';
import { modelRetryHandler } from './model-retry-handler.ts';

const fast = { baseMs: 1, maxMs: 1 };
const overloaded = (facts: object = {}) =>
  Object.assign(new AgentError('overloaded', { code: 'MODEL_ERROR', statusCode: 503, retryable: true }), facts);
const down: Script = () => ({ error: overloaded() });

function models(main: Script, fallback: Script = () => ({ text: 'From the other.' })) {
  const primary = scriptedModel(main, { name: 'main' });
  const other = scriptedModel(fallback, { name: 'other' });
  return { primary, other, handler: fallbackModelHandler({ model: other }) };
}
function call({ primary, handler }: { primary: ScriptedModel; handler: FallbackModelHandler }, run: RunContext) {
  const pipeline = new Pipeline([handler, modelRetryHandler(fast)]);
  return collect(
    pipeline.callModel(requestOf([], run.signal), (request) => (request.model ?? primary).stream(request), run),
  );
}
const kindsOf = (events: readonly AgentEvent[]) =>
  events.map((event) => (event.type === 'notification' ? event.kind : event.type));

describe('fallbackModelHandler', () => {
  it('changes over when the retries were in vain, says so, and the reply is of the fallback', async () => {
    const parts = models(down);
    const { run, records } = journaledRun();

    const { events, value } = await call(parts, run);

    expect(kindsOf(events)).toEqual(['model_retry', 'model_retry', 'fallback_model', 'content']);
    expect(events[2]).toMatchObject({
      message: 'The rest of the run uses scripted other: overloaded',
      data: { to: 'other' },
    });
    expect(value).toMatchObject({ provider: 'scripted', model: 'other' });
    expect(records).toEqual([{ type: 'note', name: 'fallback_model', data: { provider: 'scripted', model: 'other' } }]);
  });

  it('stays with the fallback for the rest of the run, and only for that run', async () => {
    const parts = models((_, turn) => (turn <= 3 ? { error: overloaded() } : { text: 'Back.' }));
    const { run } = journaledRun();

    await call(parts, run);
    const { events, value } = await call(parts, run);
    const next = await call(parts, journaledRun().run);

    expect(kindsOf(events)).toEqual(['content']);
    expect(value.model).toBe('other');
    expect(next.value.model).toBe('main');
  });

  it('stays with the fallback when the run is resumed', async () => {
    const parts = models([]);
    const { run } = journaledRun({ notes: { fallback_model: { provider: 'scripted', model: 'other' } } });

    expect(parts.handler.activeModel(run)).toBe(parts.other);
    const { value } = await call(parts, run);

    expect(value.model).toBe('other');
    expect(parts.primary.requests).toHaveLength(0);
  });

  it('tries the fallback as often as the first model', async () => {
    const parts = models(down, down);
    const { run } = journaledRun();

    await expect(call(parts, run)).rejects.toThrow('overloaded');

    expect([parts.primary, parts.other].map(({ requests }) => requests.length)).toEqual([3, 3]);
  });

  it.each([
    ['a final error', { error: new AgentError('refused', { code: 'MODEL_ERROR', retryable: false }) }],
    ['a wrong request', { error: overloaded({ statusCode: 400 }) }],
    ['a history that does not fit', { error: overloaded({ contextOverflow: true }) }],
    ['an error after the first delta', { text: 'a', error: overloaded() }],
  ])('does not change over after %s', async (_, reply) => {
    const parts = models([reply]);
    const { run, records } = journaledRun();

    await expect(call(parts, run)).rejects.toBe(reply.error);

    expect(parts.other.requests).toHaveLength(0);
    expect(records).toEqual([]);
    expect(parts.handler.activeModel(run)).toBeUndefined();
  });

  it('does not change over when the call was aborted', async () => {
    const controller = new AbortController();
    const { handler, other } = models([]);
    const { run } = journaledRun();
    const aborting: ModelNext = async function* () {
      controller.abort();
      throw overloaded();
    };

    const stream = handler.wrapModelCall!(requestOf([], controller.signal), aborting, run);

    await expect(collect(stream)).rejects.toThrow('overloaded');
    expect(other.requests).toHaveLength(0);
    expect(handler.activeModel(run)).toBeUndefined();
  });

  it('does not use the fallback before the choice is durable', async () => {
    const parts = models(down);
    const { run } = journaledRun({ failure: new Error('lost') });

    await expect(call(parts, run)).rejects.toThrow('lost');

    expect(parts.other.requests).toHaveLength(0);
  });

  it('refuses unknown options', () => {
    const options = { model: scriptedModel([]), maxAttempt: 1 };

    expect(() => fallbackModelHandler(options)).toThrow(ValidationError);
  });
});
