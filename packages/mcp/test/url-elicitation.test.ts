import { afterEach, describe, expect, it } from 'vitest';
import type { McpHostHandlers } from '../src/index.ts';
import { errorOfSdk } from '../src/sdk/sdk-errors.ts';
import { called, closeAll, folder, hubOf, linesOf, toolOf } from './support/hubs.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

async function gated(handlers: McpHostHandlers = {}) {
  const journal = `${folder()}/journal`;
  const hub = hubOf({ a: stdio({ more: true, journal }) }, { handlers });
  await hub.ready();
  return {
    gate: (input: object = {}, signal?: AbortSignal) => called(toolOf(hub, 'mcp__a__gate'), input, signal),
    ask: async (input: object) => await called(toolOf(hub, 'mcp__a__ask'), input),
    calls: () => linesOf(journal).filter((line) => line === 'gate').length,
  };
}
const answering = (action: string, asked: unknown[] = []): McpHostHandlers => ({
  elicitUrl: async (...[server, params]) => {
    asked.push([server, params]);
    return { action };
  },
});
const demand = { mode: 'url', elicitationId: 'e1', url: 'https://example.com/sign-in', message: 'Sign in.' };

describe('a server that needs its user to open an address (-32042)', () => {
  it('is asked once more when the host says that it was done', async () => {
    const asked: unknown[] = [];
    const { gate, calls } = await gated(answering('accept', asked));

    expect(await gate()).toMatchObject({ output: 'open', isError: false });

    expect(asked).toEqual([['a', demand]]);
    expect(calls()).toBe(2);
  });

  it('is asked no third time', async () => {
    const { gate, calls } = await gated(answering('accept'));

    expect(await gate({ times: 2 })).toMatchObject({
      isError: true,
      output: expect.stringContaining('did nothing yet'),
    });
    expect(calls()).toBe(2);
  });

  it.each<[string, McpHostHandlers]>([
    ['the user declines', answering('decline')],
    ['the host takes no addresses', {}],
    ['the host takes forms only', { elicit: async () => ({ action: 'accept' }) }],
  ])('gives a result that says what to do when %s', async (_, handlers) => {
    const { gate, calls } = await gated(handlers);

    const result = await gate();

    expect(result.output).toContain('needs the user to open https://example.com/sign-in (Sign in.)');
    expect(result).toMatchObject({ isError: true });
    expect(result).not.toHaveProperty('interrupted');
    expect(calls()).toBe(1);
  });

  it('ends with an abort while the user is asked', async () => {
    const end = new AbortController();
    const elicitUrl = async () => {
      end.abort();
      return { action: 'accept' };
    };
    const { gate, calls } = await gated({ elicitUrl });

    await expect(gate({}, end.signal)).rejects.toMatchObject({ name: 'AbortError' });
    expect(calls()).toBe(1);
  });

  it('cannot have any other program opened', async () => {
    const asked: unknown[] = [];
    const { gate, ask } = await gated(answering('accept', asked));

    expect(await gate({ url: 'file:///etc/passwd' })).toMatchObject({ isError: true });
    expect(await ask({ what: 'elicit-url', url: 'javascript:alert(1)' })).toMatchObject({ isError: true });
    expect(asked).toEqual([]);
  });

  it('may ask for it by itself, of a host that takes addresses', async () => {
    const asked: unknown[] = [];
    const { ask } = await gated(answering('accept', asked));

    expect(JSON.parse((await ask({ what: 'elicit-url', url: 'https://example.com/a b' })).output)).toEqual({
      action: 'accept',
    });
    expect(asked).toMatchObject([['a', { mode: 'url', url: 'https://example.com/a%20b' }]]);
    expect(await ask({ what: 'elicit' })).toMatchObject({ isError: true }); // a form
    expect(JSON.parse((await ask({ what: 'capabilities' })).output)).toEqual({ elicitation: { url: {} } });
  });
});

describe('an error -32042', () => {
  const typeOf = (data: unknown) => errorOfSdk(Object.assign(new Error('later'), { code: -32_042, data }), 's', '');

  it.each([
    ['no data', undefined],
    ['no list', { elicitations: 'x' }],
    ['what is no object', { elicitations: [1] }],
    ['no address', { elicitations: [{ elicitationId: 'a', message: 'b' }] }],
    [
      'an endless address',
      { elicitations: [{ elicitationId: 'a', message: 'b', url: `https://a/${'x'.repeat(2_000)}` }] },
    ],
  ])('with %s is like any other', (_, data) => {
    expect(typeOf(data)).toMatchObject({ errorType: 'PROTOCOL_ERROR', message: 'MCP server s: later' });
  });

  it('names four addresses at most', () => {
    const elicitations = [1, 2, 3, 4, 5].map((id) => ({
      elicitationId: String(id),
      message: 'm',
      url: `https://a/${id}`,
    }));

    const { message } = typeOf({ elicitations });

    expect(message).toContain('https://a/4');
    expect(message).not.toContain('https://a/5');
  });
});
