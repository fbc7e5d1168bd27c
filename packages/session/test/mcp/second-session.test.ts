import type { AgentConfig, Tool } from '@x/core';
import { describe, expect, it, vi } from 'vitest';
import { plainServer } from '../../../mcp/test/support/plain-server.ts';
import { stdio } from '../../../mcp/test/support/servers.ts';
import { type EntryBody, forkSession, memoryStore, type SessionStore } from '../../src/index.ts';
import { scriptedProvider } from '../support/makers.ts';
import { echoed, obeying } from '../support/obeying.ts';

const PATIENCE = { timeout: 45_000 };
const tool = (name: string, description = 'A tool.') => ({ name, description, inputSchema: { type: 'object' } });
const isOfServer = ({ name }: Tool) => name.startsWith('mcp__');

/** A handler that keeps the tools of servers that each run begins with. */
function keeping() {
  const runs: (readonly Tool[])[] = [];
  const beforeAgent = ({ tools }: AgentConfig) => void runs.push(tools.map(({ tool: one }) => one).filter(isOfServer));
  return { runs, handlers: [{ name: 'keeping', beforeAgent }] };
}

/** A store, and what each append of it has recorded. */
function noting(): { readonly store: SessionStore; readonly appends: (readonly EntryBody[])[] } {
  const [store, appends] = [memoryStore(), [] as (readonly EntryBody[])[]];
  const append: SessionStore['append'] = (sessionId, expected, entries, consume) => {
    appends.push(entries);
    return store.append(sessionId, expected, entries, consume);
  };
  return { store: { ...store, append }, appends };
}

const pinsIn = (appends: readonly (readonly EntryBody[])[]) =>
  appends.flatMap((bodies) => bodies.flatMap((body) => (body.type === 'mcp_pins' ? body.pins : [])));

describe('a second session of a process with the same servers', () => {
  it('has the very tools and pins of the first, and makes no text of its record again (M20, M23)', async () => {
    const own = stdio({}, { env: { OWN: crypto.randomUUID() } });
    const [first, second] = [keeping(), keeping()];
    const one = await obeying({ mcpServers: { own }, handlers: first.handlers });
    await one.ask(echoed('1'));
    const [stringify, noted] = [vi.spyOn(JSON, 'stringify'), noting()];

    const two = await obeying({ mcpServers: { own }, store: noted.store, handlers: second.handlers });
    await two.ask(echoed('2'));

    const made = stringify.mock.calls.filter(([body]) => (body as EntryBody | undefined)?.type === 'mcp_pins');
    stringify.mockRestore();
    expect(made).toHaveLength(0);
    const [tools, others] = [first.runs.at(-1)!, second.runs.at(-1)!];
    expect(others).toHaveLength(12);
    expect(others.filter((each) => !tools.includes(each))).toEqual([]);
    expect(pinsIn(noted.appends)).toHaveLength(10);
  });

  it('has tools of its own where handlers change them', async () => {
    const own = stdio();
    const renamed = (config: AgentConfig) => {
      for (const meta of config.tools) if (isOfServer(meta.tool)) meta.tool = { ...meta.tool, description: 'Other.' };
    };
    const one = await obeying({ mcpServers: { own }, handlers: [{ name: 'renamed', beforeAgent: renamed }] });
    expect(await one.ask(echoed('1'))).toEqual(['1']);

    const two = await obeying({ mcpServers: { own } });
    await two.ask(echoed('2'));

    const said = ({ models }: typeof one) => models[0]!.requests[0]!.tools.filter(isOfServer);
    expect(said(one).every(({ description }) => description === 'Other.')).toBe(true);
    expect(said(two).some(({ description }) => description === 'Other.')).toBe(false);
  });
});

describe('the record of pins', () => {
  it('is written in one step with the message, before a model is shown the tools (M14, M23)', async () => {
    const { store, appends } = noting();
    let known = 0;
    const { ask } = await obeying({
      mcpServers: { own: stdio({ resources: false }) },
      store,
      handlers: [
        { name: 'looking', wrapModelCall: (request, next) => ((known = pinsIn(appends).length), next(request)) },
      ],
    });

    await ask();

    expect(known).toBe(10);
    const [written] = appends.filter((bodies) => bodies.some(({ type }) => type === 'mcp_pins'));
    expect(written).toMatchObject([{ type: 'mcp_pins' }, { type: 'record', record: { type: 'message' } }]);
    expect(appends.filter((bodies) => bodies.some(({ type }) => type === 'mcp_pins'))).toHaveLength(1);
  });

  it('may be larger than an entry: it is a blob then, and holds over a resume (M22, M23)', async () => {
    const store = memoryStore();
    const many = (text: string) =>
      Object.fromEntries(
        ['a', 'b', 'c'].map((server) => {
          const tools = Array.from({ length: 1_000 }, (_, index) => tool(`${index}`.padEnd(256, 'x'), text));
          return [server, { type: 'sdk' as const, instance: plainServer({ tools, resources: false }) }];
        }),
      );
    const first = await obeying({ mcpServers: many('A tool.'), store });
    await first.ask();
    const { sessionId } = first.session;
    await first.session.close();
    const bodies = (await Array.fromAsync(store.read(sessionId))).map(({ body }) => body);
    expect(bodies).toContainEqual({ type: 'blob', of: 'mcp_pins', sha256: expect.any(String) });

    const second = await obeying({ mcpServers: many('Another tool.'), store, sessionId });
    await second.ask();

    expect((await second.session.mcpServerStatus()).map(({ toolCount }) => toolCount)).toEqual([0, 0, 0]);
    expect((await second.session.mcpServerStatus())[0]!.problems).toHaveLength(1_000);
  });

  it('is whole in a fork: also what was approved behind the cut (M23)', async () => {
    const store = memoryStore();
    const first = await obeying({ mcpServers: { own: stdio({ tools: [tool('a')], resources: false }) }, store });
    await first.ask();
    const { sessionId, messages } = first.session;
    await first.session.close();
    const mcpServers = { own: stdio({ tools: [tool('a', 'Another one.')], resources: false }) };
    const second = await obeying({ mcpServers, store, sessionId });
    await second.ask();
    await second.session.mcpApprove('own', 'a');
    await second.session.close();

    const { provider } = scriptedProvider([{ text: 'Yes.' }]);
    const fork = await forkSession({ provider, model: 'm', store, sessionId, mcpServers, messageId: messages[1]!.id });
    const id = fork.sessionId;
    await fork.close();
    const resumed = await obeying({ mcpServers, store, sessionId: id });
    await resumed.ask();

    expect(resumed.offered(0)).toEqual(['mcp__own__a']);
    await vi.waitFor(
      async () => expect(await resumed.session.mcpListTools()).toMatchObject([{ approved: true }]),
      PATIENCE,
    );
  });
});
