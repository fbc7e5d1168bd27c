import { afterEach, describe, expect, it } from 'vitest';
import { completionOf } from '../src/hub/completion.ts';
import { closeAll, hubOf } from './support/hubs.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

describe('complete', () => {
  it('asks for values of an argument of a prompt, and of a resource template', async () => {
    const hub = hubOf({ a: stdio({ more: true }) });

    const of = async (request: Parameters<typeof hub.complete>[1]) => (await hub.complete('a', request)).values;

    expect(await hub.listResourceTemplates('a')).toMatchObject([{ uriTemplate: 'mem://{name}' }]);
    expect(await of({ prompt: 'hello', argument: 'who', value: 'An', known: { how: 'loud' } })).toEqual([
      'hello who An {"arguments":{"how":"loud"}}',
    ]);
    expect(await of({ resourceTemplate: 'mem://{name}', argument: 'name' })).toEqual(['mem://{name} name  {}']);
    expect(await hub.complete('a', { prompt: 'hello', argument: 'who', value: 'many' })).toEqual({
      values: Array(100).fill('x'.repeat(10)),
      total: 500,
      hasMore: true,
    });
  });

  it('has nothing from a server that proposes nothing, and ends with its signal', async () => {
    const hub = hubOf({ a: stdio(), more: stdio({ more: true }), hangs: stdio({ hang: true }) });
    const request = { prompt: 'hello', argument: 'who' };

    expect(await hub.complete('a', request)).toEqual({ values: [], hasMore: false });
    await expect(hub.complete('hangs', request, { timeoutMs: 10 })).rejects.toMatchObject({ name: 'AbortError' });
    await expect(hub.complete('more', request, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it.each([
    [{ argument: 'who' }, 'give one of the two'],
    [{ prompt: 'a', resourceTemplate: 'b', argument: 'who' }, 'give one of the two'],
    [{ prompt: 'a', arguments: 'who' }, 'unknown arguments'],
    [{ prompt: 'a' }, 'argument'],
    [{ prompt: 'a', argument: 'b', known: { c: 1 } }, 'known'],
  ])('refuses %j', async (request, hint) => {
    const hub = hubOf({ a: stdio({ hang: true }) });
    await expect(hub.complete('a', request as never)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining(hint),
    });
  });
});

describe('completionOf', () => {
  it.each([
    [{}, { values: [], hasMore: false }],
    [{ completion: null }, { values: [], hasMore: false }],
    [{ completion: { values: 'a', total: '1', hasMore: 1 } }, { values: [], hasMore: false }],
    [{ completion: { values: ['a', 1, 'x'.repeat(2_001)] } }, { values: ['a'], hasMore: false }],
    [{ completion: { values: Array(101).fill('a') } }, { values: Array(100).fill('a'), hasMore: true }],
  ])('takes what is a proposal of %j', (result, proposals) => {
    expect(completionOf(result)).toEqual(proposals);
  });
});
