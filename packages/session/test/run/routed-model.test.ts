import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { AgentError, type Model } from '@x/core';
import { type Script, scriptedModel } from '@x/core/testing';
import { circuitBreaker, routedModel } from '@x/models/routing';
import { wireServer } from '@x/models/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type CustomProvider, createSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { say } from '../support/makers.ts';
import { notificationsIn, watched } from '../support/watched.ts';

const overloaded = new AgentError('overloaded', { code: 'MODEL_OVERLOADED', statusCode: 503, retryable: true });
const providerOf = (createModel: (name: string) => Model): CustomProvider => ({ type: 'custom', createModel });
/** A session with any model, and what its handlers have seen. */
async function sessionWith(options: Pick<SessionOptions, 'provider'> & Partial<SessionOptions>) {
  const { handler, events } = watched();
  const session = await createSession({ model: 'main', store: memoryStore(), handlers: [handler], ...options });
  return { session, events };
}

afterEach(() => {
  trace.disable();
  context.disable();
});

describe('a model that is several', () => {
  it('goes over to the second and back; log, usage and spans name the one that has answered', async () => {
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const clock = { ms: 0 };
    const breaker = circuitBreaker({ failures: 1, openMs: 1_000, now: () => clock.ms });
    const first = scriptedModel((_, turn) => (turn === 1 ? { error: overloaded } : { text: 'Back.' }), { name: 'a' });
    const both = routedModel([
      { model: breaker.guard(first, 'a') },
      { model: scriptedModel(() => ({ text: 'Instead.' }), { name: 'b' }), weight: 0 },
    ]);
    const prices = { a: { input: 1, output: 1 }, b: { input: 1_000, output: 1_000 } };
    const { session, events } = await sessionWith({ provider: providerOf(() => both), prices });

    const costs: unknown[] = [];
    for (const ms of [0, 999, 1_000]) {
      clock.ms = ms;
      const said = await say(session, 'Hello.');
      costs.push(said.flatMap((event) => (event.type === 'result' ? event.cost : [])).at(-1));
    }

    const replies = session.messages.flatMap((message) => (message.role === 'assistant' ? message.model : []));
    expect(replies).toEqual(['b', 'b', 'a']);
    expect(costs).toEqual([0.015, 0.015, 0.000015]);
    const spans = exporter.getFinishedSpans().filter(({ name }) => name.startsWith('chat'));
    expect(spans.map(({ attributes }) => attributes['gen_ai.response.model'])).toEqual(['b', 'b', 'a']);
    expect(notificationsIn(events, 'model_route')).toHaveLength(2);
    expect(notificationsIn(events, 'model_retry')).toEqual([]);
    expect(first.requests).toHaveLength(2);
  });

  it('is named in a reply that is cut off by the one that was speaking', async () => {
    const hanging: Script = () => ({ text: 'Half a', hangs: true });
    const both = routedModel([
      { model: scriptedModel(() => ({ error: overloaded }), { name: 'a' }) },
      { model: scriptedModel(hanging, { name: 'b' }), weight: 0 },
    ]);
    const { session } = await sessionWith({ provider: providerOf(() => both) });

    await session.send('Hello.');
    for await (const event of session.stream()) if (event.type === 'content') session.abort();

    expect(session.messages.at(-1)).toMatchObject({ role: 'assistant', stopReason: 'interrupted', model: 'b' });
  });
});

describe('a breaker that sessions share', () => {
  it('is behind the provider of a session, whose circuit another session finds open', async () => {
    await using server = await wireServer({ status: 401, body: '{}' });
    const breaker = circuitBreaker({ failures: 1 });
    const provider = breaker.provider({ type: 'anthropic', apiKey: 'sk-ant-4711', baseUrl: server.url });
    const codes: unknown[] = [];

    for (const model of ['one', 'other']) {
      const { session } = await sessionWith({ provider, model });
      codes.push((await say(session, 'Hello.')).flatMap((event) => (event.type === 'error' ? [event.code] : [])));
    }

    expect(codes).toEqual([['AUTHENTICATION_ERROR'], ['MODEL_UNAVAILABLE']]);
    expect(server.requests).toHaveLength(1);
  });

  it('lets a second session go to its fallback at once, without a request and without a wait', async () => {
    const breaker = circuitBreaker({ failures: 1 });
    const main = scriptedModel(() => ({ error: overloaded }), { name: 'main' });
    const provider = providerOf(() => breaker.guard(main, 'main'));
    const spare = { provider: providerOf((name) => scriptedModel(() => ({ text: 'Hi.' }), { name })), model: 'spare' };
    const options = { provider, fallbackModel: spare };
    const [one, other] = [await sessionWith({ ...options, retryBudgetMs: 0 }), await sessionWith(options)];
    await say(one.session, 'Hello.');

    await say(other.session, 'Hello.');

    expect(main.requests).toHaveLength(1);
    expect(other.session.messages.at(-1)).toMatchObject({ model: 'spare' });
    expect(notificationsIn(other.events, 'model_retry')).toEqual([]);
    expect(notificationsIn(other.events, 'fallback_model')).toEqual([expect.stringContaining('main is not asked for')]);
  });
});

describe('a list of fallbacks', () => {
  it('has a larger window for what does not fit, of the same provider, and another model for the rest', async () => {
    const tooLong = Object.assign(new AgentError('too long', { code: 'CONTEXT_OVERFLOW' }), { contextOverflow: true });
    const scripts: Record<string, Script> = {
      main: (_, turn) => ({ error: turn === 1 ? tooLong : overloaded }),
      large: () => ({ text: 'From the large one.' }),
      spare: () => ({ text: 'From the spare one.' }),
    };
    const models = new Map(Object.entries(scripts).map(([name, script]) => [name, scriptedModel(script, { name })]));
    const provider = providerOf((name) => models.get(name)!);
    const fallbackModel = [{ model: 'large', on: ['CONTEXT_OVERFLOW'] }, 'spare'] as const;
    const { session } = await sessionWith({ provider, fallbackModel, retryBudgetMs: 0 });

    await say(session, 'Long.');
    await say(session, 'Short.');

    expect(session.messages.flatMap((message) => (message.role === 'assistant' ? message.model : []))).toEqual([
      'large',
      'spare',
    ]);
  });

  it('needs the key of each of them', async () => {
    const fallbackModel = ['spare', { provider: { type: 'anthropic', apiKey: ' ' }, model: 'm' }] as const;
    const made = sessionWith({ provider: providerOf((name) => scriptedModel([], { name })), fallbackModel });

    await expect(made).rejects.toMatchObject({ code: 'AUTHENTICATION_ERROR' });
  });

  it('refuses options that one of them does not take', async () => {
    const takes = { checkOptions: () => undefined };
    const provider = providerOf((name) => scriptedModel([], { name, ...(name === 'picky' ? {} : takes) }));
    const made = sessionWith({ provider, fallbackModel: ['spare', 'picky'], modelOptions: { seed: 1 } });

    await expect(made).rejects.toThrow('modelOptions.seed is not taken by picky');
  });
});
