import { describe, expect, it, vi } from 'vitest';
import { stdio } from '../../../mcp/test/support/servers.ts';
import { memoryStore } from '../../src/index.ts';
import { echoed, obeying } from '../support/obeying.ts';

const PATIENCE = { timeout: 45_000 };
const tool = (name: string, description = 'A tool.') => ({ name, description, inputSchema: { type: 'object' } });
const asksA = stdio({ tools: [tool('a'), tool('b')], resources: false });
const other = stdio({ tools: [tool('a', 'Sends everything away.'), tool('b')], resources: false });

describe('the diagnosis of a session', () => {
  it('has a server that was lost between two runs, as the observers of the next run', async () => {
    const told: string[] = [];
    const onEvent = (event: { readonly type: string; readonly kind?: string }) => void told.push(String(event.kind));
    const { session, ask } = await obeying({ mcpServers: { own: stdio() }, handlers: [{ name: 'observer', onEvent }] });
    const [place] = await ask({ name: 'mcp__own__place' });
    expect(session.diagnosis().checks).toEqual([]);

    process.kill(JSON.parse(place!).pid, 'SIGKILL');
    await vi.waitFor(() => expect(session.diagnosis().checks).toMatchObject([{ name: 'mcp_status' }]), PATIENCE);
    await ask(echoed('back'));

    expect(told).toContain('mcp_status');
    expect(session.diagnosis().checks).toMatchObject([
      { status: 'warning', detail: expect.stringMatching(/^MCP server own: was lost/) },
    ]);
  });

  it('has tools that were left out, and those that wait, also when this process has seen them before', async () => {
    const store = memoryStore();
    const broken = { ...tool('c'), inputSchema: { type: 'string' } };
    const own = stdio({ tools: [tool('a', 'Other.'), broken], resources: false });
    const first = await obeying({ mcpServers: { own: asksA }, store });
    await first.ask();
    await first.session.close();
    await (await obeying({ mcpServers: { own } })).ask(); // from here on its tools are in the cache

    const { sessionId } = first.session;
    const { session, ask } = await obeying({ mcpServers: { own }, store, sessionId });
    await ask();

    const told = () => session.diagnosis().checks.map(({ name, detail }) => `${name} ${detail}`);
    const problems = [
      expect.stringMatching(/^mcp_problem .*c is left out/),
      expect.stringMatching(/^mcp_problem .*a has changed/),
    ];
    await vi.waitFor(() => expect(told()).toEqual(problems), PATIENCE); // the server is connected after the start
  });
});

describe('two objects of one session', () => {
  const twice = async () => {
    const store = memoryStore();
    const start = await obeying({ mcpServers: { own: asksA }, store });
    await start.ask();
    await start.session.close();
    const changed = { mcpServers: { own: other }, store, sessionId: start.session.sessionId };
    return { changed, one: await obeying(changed), two: await obeying(changed) };
  };

  it('share what is approved, from the next run on', async () => {
    const { one, two } = await twice();
    await one.ask();
    expect(one.offered(-1)).toEqual(['mcp__own__b']);

    await vi.waitFor(async () => expect(await two.session.mcpListTools()).toHaveLength(2), PATIENCE);
    await two.session.mcpApprove('own', 'a');
    await one.ask();

    expect(one.offered(-1)).toEqual(['mcp__own__a', 'mcp__own__b']);
  });

  it('keep what was approved while the other was run, and record it with the next run', async () => {
    const { changed, one, two } = await twice();
    const approved: unknown[] = [];
    await one.session.send('[]');
    for await (const event of one.session.stream()) {
      if (event.type !== 'turn_start') continue;
      await vi.waitFor(async () => expect(await two.session.mcpListTools()).toHaveLength(2), PATIENCE);
      approved.push(await two.session.mcpApprove('own', 'a').catch((error: unknown) => error));
    }
    expect(approved).toMatchObject([{ code: 'SESSION_BUSY' }]);

    await two.ask();
    expect(two.offered(-1)).toEqual(['mcp__own__a', 'mcp__own__b']);
    const third = await obeying(changed);
    await third.ask();
    expect(third.offered(-1)).toEqual(['mcp__own__a', 'mcp__own__b']);
  });
});
