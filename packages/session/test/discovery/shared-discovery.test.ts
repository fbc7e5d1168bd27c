import type { AgentConfig } from '@x/core';
import { describe, expect, it } from 'vitest';
import { stdio } from '../../../mcp/test/support/servers.ts';
import { DeferredTools } from '../../src/discovery/deferred-tools.ts';
import type { SessionOptions } from '../../src/index.ts';
import { obeying } from '../support/obeying.ts';

const usual = { toolDiscovery: { thresholdTokens: 50 } } satisfies Partial<SessionOptions>;
const search = (query: string) => ({ name: 'ToolSearch', input: { query } });
const found = (output: string | undefined) =>
  [...(output ?? '').matchAll(/"name":"(mcp__\w+)"/g)].map(([, name]) => name);

describe('sessions of a process that find the same tools', () => {
  it('send the same bytes, and search in one index', async () => {
    const mcpServers = { own: stdio({}, { env: { OWN: crypto.randomUUID() } }) };
    const [one, two] = [await obeying({ mcpServers, ...usual }), await obeying({ mcpServers, ...usual })];

    const [first] = await one.ask(search('picture'));
    const [second] = await two.ask(search('picture'));

    expect(found(first)).toContain('mcp__own__picture');
    expect(second).toBe(first);
    const sent = ({ models }: typeof one) =>
      JSON.stringify(
        models[0]!.requests[0]!.tools.map(({ name, description, inputSchema }) => [
          name,
          description,
          inputSchema.json,
        ]),
      );
    expect(sent(two)).toBe(sent(one));
    expect(sent(one)).toContain('mcp__own__picture'); // by its name alone, in the text of the search
    expect(one.offered(0)).toEqual([]);
  });

  it.each<[string, Partial<SessionOptions>]>([
    ['a list', { disallowedTools: ['mcp__own__picture'] }],
    [
      'a handler',
      {
        handlers: [
          {
            name: 'without',
            beforeAgent(config: AgentConfig) {
              config.tools = config.tools.filter(({ tool }) => tool.name !== 'mcp__own__picture');
            },
          },
        ],
      },
    ],
  ])('find nothing that %s of the session has taken out', async (_, options) => {
    const mcpServers = { own: stdio() };
    const all = await obeying({ mcpServers, ...usual });
    expect(found((await all.ask(search('picture')))[0])).toContain('mcp__own__picture');

    const some = await obeying({ mcpServers, ...usual, ...options });
    const [output] = await some.ask(search('picture'));

    expect(found(output)).not.toContain('mcp__own__picture');
    expect(JSON.stringify(some.models[0]!.requests[0]!.tools)).not.toContain('mcp__own__picture');
  });

  it('go by one object for a frozen list alone', () => {
    const [fixed, open] = [Object.freeze([]), []];

    expect(DeferredTools.of(fixed)).toBe(DeferredTools.of(fixed));
    expect(DeferredTools.of(open)).not.toBe(DeferredTools.of(open));
  });
});
