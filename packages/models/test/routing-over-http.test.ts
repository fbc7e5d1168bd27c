import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel } from '@x/models';
import { circuitBreaker, routedModel } from '@x/models/routing';
import { modelContract, type WireScript, wireServer } from '@x/models/testing';
import { describe, expect, it } from 'vitest';
import { CONTRACT_SUBJECTS } from './contract-subjects.ts';
import { chat, chunk } from './talk.ts';

const hello = chat(chunk({ content: 'Hi.' }, 'stop'));
const refused = (status: number, headers: Record<string, string> = {}) => ({ status, headers, body: '{}' });

/** Two services behind one model, the second a spare, and a breaker with a clock that is set by hand. */
async function twoServices(first: WireScript) {
  const clock = { ms: 0 };
  const breaker = circuitBreaker({ failures: 2, openMs: 5_000, now: () => clock.ms });
  const servers = [await wireServer(first), await wireServer(hello)] as const;
  const [anthropic, openai] = [
    breaker.provider({ type: 'anthropic', apiKey: 'sk-ant-4711', baseUrl: servers[0].url }),
    breaker.provider({ type: 'openai-compatible', apiKey: 'sk-4712', baseUrl: `${servers[1].url}/v1` }),
  ];
  const model = routedModel([
    { model: anthropic.createModel('claude-sonnet-4-5') },
    { model: openai.createModel('gpt-4.1'), weight: 0 },
  ]);
  const messages = [userMessage('Hello')];
  const ask = async () => {
    const signal = new AbortController().signal;
    const { value } = await collect(model.stream({ instruction: '', messages, tools: [], signal }));
    return `${value.provider} ${value.model}`;
  };
  return {
    ask,
    clock,
    breaker,
    asked: () => servers.map(({ requests }) => requests.length),
    [Symbol.asyncDispose]: async () => void (await Promise.all(servers.map((server) => server.close()))),
  };
}

describe('two services behind one model', () => {
  it.each<[number, string, number]>([
    [529, 'MODEL_OVERLOADED', 5],
    [503, 'MODEL_OVERLOADED', 5],
    [500, 'MODEL_ERROR', 5],
    [401, 'AUTHENTICATION_ERROR', 5],
    [429, 'RATE_LIMIT_EXCEEDED', 30],
  ])(
    'goes over to the second when the first answers %i, and soon asks the first no more',
    async (status, lastCode, retryAfter) => {
      await using services = await twoServices(refused(status, status === 429 ? { 'retry-after': '30' } : {}));

      const names = [await services.ask(), await services.ask(), await services.ask()];

      expect(new Set(names)).toEqual(new Set(['openai-compatible gpt-4.1']));
      expect(services.asked()).toEqual([2, 3]);
      const [first, second] = services.breaker.health();
      expect(first).toMatchObject({ state: 'open', failures: 2, lastCode, retryAfter });
      expect(second).toMatchObject({ state: 'closed', failures: 0 });
      expect(JSON.stringify(services.breaker.health())).not.toMatch(/471[12]/);
    },
  );

  it('comes back to the first after its time, with one probe', async () => {
    const { text } = CONTRACT_SUBJECTS.anthropic.streams;
    await using services = await twoServices((_, number) => (number <= 2 ? refused(529) : { body: text }));
    await services.ask();
    await services.ask();
    services.clock.ms = 5_000;

    const name = await services.ask();

    expect(name).toBe('anthropic claude-sonnet-4-5');
    expect(services.asked()).toEqual([3, 2]);
    expect(services.breaker.health().map(({ state }) => state)).toEqual(['closed', 'closed']);
  });

  it('goes over when nobody listens there', async () => {
    const gone = await wireServer(hello);
    await gone.close();
    const breaker = circuitBreaker({ failures: 1 });
    await using server = await wireServer(hello);
    const at = (url: string) =>
      breaker.provider({ type: 'openai-compatible', apiKey: 'none', baseUrl: `${url}/v1` }).createModel('m');
    const model = routedModel([
      { model: at(gone.url), weight: 0 },
      { model: at(server.url), weight: 0 },
    ]);

    const signal = new AbortController().signal;
    const { value } = await collect(model.stream({ instruction: '', messages: [], tools: [], signal }));

    expect(value.content).toEqual([{ type: 'text', text: 'Hi.' }]);
    expect(breaker.health()).toMatchObject([{ state: 'open' }, { state: 'closed' }]);
  });

  it('shares one circuit between all models of a service and key, and none between keys', async () => {
    await using server = await wireServer(refused(503));
    const breaker = circuitBreaker({ failures: 1 });
    const provider = (apiKey: string) =>
      breaker.provider({ type: 'openai-compatible', apiKey, baseUrl: `${server.url}/v1` });
    const fail = async (key: string, name: string) => {
      const model = provider(key).createModel(name);
      const signal = new AbortController().signal;
      return collect(model.stream({ instruction: '', messages: [], tools: [], signal })).then(
        () => 'answered',
        (error: { readonly code: string }) => error.code,
      );
    };

    expect(await fail('one', 'a')).toBe('MODEL_OVERLOADED');
    expect(await fail('one', 'b')).toBe('MODEL_UNAVAILABLE');
    expect(await fail('two', 'a')).toBe('MODEL_OVERLOADED');
    expect(breaker.health()).toHaveLength(2);
  });

  it('makes one model for each name', () => {
    const provider = circuitBreaker().provider({ type: 'anthropic', apiKey: 'k' });

    expect(provider.createModel('a')).toBe(provider.createModel('a'));
    expect(provider.createModel('a')).not.toBe(provider.createModel('b'));
  });
});

describe('a guarded model behind a route', () => {
  const { streams } = CONTRACT_SUBJECTS.chat;
  const breaker = circuitBreaker({ failures: 1_000 });
  const cases = modelContract({
    streams,
    cutsPerStream: 3,
    open: (url, apiKey) => {
      const model = createModel({ type: 'openai-compatible', apiKey, baseUrl: `${url}/v1` }, 'gpt-4o-mini');
      return routedModel([{ model: breaker.guard(model, url) }]);
    },
  });

  it.each(cases)('keeps the promise: $name', async ({ run }) => {
    await expect(run()).resolves.toBeUndefined();
  });
});
