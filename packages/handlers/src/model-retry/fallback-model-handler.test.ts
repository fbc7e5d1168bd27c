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

describe('a list of fallbacks', () => {
  const failed = (code: string, facts: object = {}) =>
    Object.assign(new AgentError(code, { code, retryable: false }), facts);
  /** `big` for what does not fit, `cheap` when the money is used up, `any` for all that may pass. */
  function listed(main: Script, { big = said('big'), cheap = said('cheap'), any = said('any') } = {}) {
    const [bigModel, cheapModel, anyModel] = [
      scriptedModel(big, { name: 'big' }),
      scriptedModel(cheap, { name: 'cheap' }),
      scriptedModel(any, { name: 'any' }),
    ];
    const handler = fallbackModelHandler([
      { model: bigModel, on: ['CONTEXT_OVERFLOW'] },
      { model: cheapModel, on: ['QUOTA_EXCEEDED', 'AUTHENTICATION_ERROR'] },
      { model: anyModel },
    ]);
    return { primary: scriptedModel(main, { name: 'main' }), handler };
  }
  const said =
    (text: string): Script =>
    () => ({ text });

  it.each<[string, unknown, string]>([
    ['a history that does not fit', failed('CONTEXT_OVERFLOW'), 'big'],
    ['one whose error has another code', overloaded({ contextOverflow: true }), 'big'],
    ['a used up quota, which never passes', failed('QUOTA_EXCEEDED'), 'cheap'],
    ['a refused key', failed('AUTHENTICATION_ERROR'), 'cheap'],
    ['an overload', overloaded(), 'any'],
  ])('goes by the class of the error: %s', async (_, error, name) => {
    const { value } = await call(
      listed(() => ({ error })),
      journaledRun().run,
    );

    expect(value.model).toBe(name);
  });

  it('fails where none is for the error', async () => {
    const error = failed('MODEL_NOT_FOUND');

    await expect(call(listed([{ error }]), journaledRun().run)).rejects.toBe(error);
  });

  it('goes on from fallback to fallback, each once in a run, also backwards in the list', async () => {
    const parts = listed(down, {
      any: () => ({ error: failed('CONTEXT_OVERFLOW') }),
      big: () => ({ error: overloaded() }),
    });
    const { run, records } = journaledRun();

    await expect(call(parts, run)).rejects.toThrow('overloaded');

    expect(records.map((record) => ('data' in record ? record.data : undefined))).toEqual([
      { provider: 'scripted', model: 'any', used: [2] },
      { provider: 'scripted', model: 'big', used: [2, 0] },
    ]);
  });

  it('says who has failed and who takes over', async () => {
    const parts = listed(down, { any: () => ({ error: failed('QUOTA_EXCEEDED') }) });

    const { events } = await call(parts, journaledRun().run);

    const switches = events.flatMap((event) =>
      event.type === 'notification' && event.kind === 'fallback_model' ? [event.data] : [],
    );
    expect(switches).toEqual([{ to: 'any' }, { from: 'any', to: 'cheap' }]);
  });

  it('goes on where a resumed run was, and from the start when the list has become shorter', async () => {
    const resumed = (used: readonly number[]) => {
      const { handler } = listed([]);
      const note = { provider: 'scripted', model: 'any', used };
      return handler.activeModel(journaledRun({ notes: { fallback_model: note } }).run)?.name;
    };

    expect([resumed([2]), resumed([2, 0]), resumed([7])]).toEqual(['any', 'big', undefined]);
  });

  const model = scriptedModel([]);
  it.each<[string, string, unknown]>([
    ['an empty list', 'fallbackModel', []],
    ['a misspelt key', 'fallbackModel[0].onn', [{ model, onn: ['MODEL_ERROR'] }]],
    ['what is no model', 'fallbackModel[1].model', [{ model }, { model: {} }]],
    ['a model that is there twice', 'fallbackModel[1].model', [{ model, on: ['MODEL_ERROR'] }, { model }]],
    ['an unknown code', 'fallbackModel[0].on[1]', [{ model, on: ['MODEL_ERROR', 'OVERLOADED'] }]],
    ['an unknown code outside of a list', 'on[0]', { model, on: ['OVERLOADED'] }],
    ['an empty list of codes', 'on', { model, on: [] }],
  ])('refuses %s', (_, field, options) => {
    expect(() => fallbackModelHandler(options as never)).toThrow(expect.objectContaining({ field }));
  });
});
