import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { until } from '../../../mcp/test/support/hubs.ts';
import { stdio } from '../../../mcp/test/support/servers.ts';
import { forkSession, memoryStore, type SessionOptions } from '../../src/index.ts';
import { only, resultOf, say, scriptedProvider } from '../support/makers.ts';
import { echoed, obeying } from '../support/obeying.ts';

const PATIENCE = { timeout: 45_000 };
/** A server whose tools no session of this process has seen. */
const unseen = () => stdio({}, { env: { OWN: crypto.randomUUID() } });
const tool = (name: string, description = 'A tool.') => ({ name, description, inputSchema: { type: 'object' } });

describe('the tools of MCP servers', () => {
  it('are offered to the model and run, and what they answer is the result (S05k, M06)', async () => {
    const { session, ask, offered } = await obeying({ mcpServers: { own: stdio() } });

    expect(await ask(echoed('hello'), { name: 'mcp__own__fail' })).toEqual(['hello', '! it failed']);

    expect(offered(0)).toContain('mcp__own__echo');
    expect(offered(0)).toEqual(offered(0).toSorted());
    expect(await session.mcpServerStatus()).toMatchObject([{ name: 'own', status: 'connected' }]);
    expect(await session.mcpListTools()).toContainEqual(
      expect.objectContaining({ name: 'echo', serverName: 'own', toolName: 'mcp__own__echo', approved: true }),
    );
  });

  it('are gone after mcpDisconnect, and there again after mcpConnect (M04, M09)', async () => {
    const { session, ask, offered } = await obeying({ mcpServers: { own: stdio() } });
    await ask(echoed('1'));
    await session.mcpDisconnect('own');
    expect(await ask(echoed('2'))).toEqual([expect.stringMatching(/^! /)]);
    expect(offered(-1)).toEqual([]);

    await session.mcpConnect('own');
    expect(await ask(echoed('3'))).toEqual(['3']);
    await session.mcpReconnect('own');
    expect(await ask(echoed('4'))).toEqual(['4']);
    for (const act of ['mcpConnect', 'mcpDisconnect', 'mcpReconnect', 'mcpApprove'] as const)
      await expect(session[act]('other')).rejects.toMatchObject({ code: 'MCP_ERROR', errorType: 'CONFIG_ERROR' });
  });

  it('that change the list are offered from the next model call on (M07)', async () => {
    const { session, ask, offered } = await obeying({ mcpServers: { own: stdio() } });
    const folder = mkdtempSync(join(tmpdir(), 'mcp-session-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const wait = { name: 'Bash', input: { command: `until [ -e ${folder}/known ]; do sleep 0.1; done` } };

    const asked = ask({ name: 'mcp__own__change', input: tool('fresh') }, wait);
    const names = async () => (await session.mcpListTools()).map(({ name }) => name);
    await vi.waitFor(async () => expect(await names()).toContain('fresh'), PATIENCE);
    writeFileSync(join(folder, 'known'), '');
    await asked;

    expect(offered(0)).not.toContain('mcp__own__fresh');
    expect(offered(-1)).toContain('mcp__own__fresh');
  });

  it('leave the session and the other servers alone when their server ends (M05, M26)', async () => {
    const { session, ask } = await obeying({
      mcpServers: { own: stdio(), other: stdio(), none: { command: '/no/such' } },
    });

    const [ended, ...rest] = await ask(
      { name: 'mcp__own__exit' },
      { name: 'mcp__other__echo', input: { text: 'here' } },
    );

    expect(ended).toMatch(/^! /);
    expect(rest).toEqual(['here']);
    const states = await session.mcpServerStatus();
    expect(states.find(({ name }) => name === 'none')).toMatchObject({ status: 'error', error: expect.any(String) });
    expect(states.find(({ name }) => name === 'other')).toMatchObject({ status: 'connected' });
  });

  it('end with the session (M10), and get none of its variables (M11)', async () => {
    process.env['A_SECRET_OF_THE_HOST'] = 'x';
    onTestFinished(() => void delete process.env['A_SECRET_OF_THE_HOST']);
    const { session, ask } = await obeying({ mcpServers: { own: stdio({}, { env: { OWN: 'yes' } }) } });
    const [place] = await ask({ name: 'mcp__own__place' });
    const { env, pid } = JSON.parse(place!);

    await session.close();

    expect(env).toMatchObject({ OWN: 'yes' });
    expect(env).not.toHaveProperty('A_SECRET_OF_THE_HOST');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});

describe('a server that hangs', () => {
  it('is not waited for when its tools are known from before (M20)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-session-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const mcpServers = { own: stdio({ hangIfThere: join(folder, 'hang') }) };
    await (await obeying({ mcpServers })).ask();
    writeFileSync(join(folder, 'hang'), '');

    const { session, ask, offered } = await obeying({ mcpServers, mcpStartWait: 2 ** 31 - 1 });

    expect(await ask()).toEqual([]);
    expect(offered(0)).toEqual(expect.arrayContaining(['mcp__own__echo', 'mcp__own__read_resource']));
    const [status] = await session.mcpServerStatus();
    expect(status).toMatchObject({ toolCount: 12, status: expect.stringMatching(/^(disconnected|connecting)$/) });
  });

  it('holds up the first model call for so long, and no other (M19)', async () => {
    await (await obeying({ mcpServers: { own: stdio() } })).ask(); // its tools are known from here on
    const mcpServers = { slow: stdio({ hang: true }), own: stdio() };
    const { session, ask, offered } = await obeying({ mcpServers, mcpStartWait: 1_500 });

    expect(await ask(echoed('here'))).toEqual(['here']);

    expect(offered(0)).toContain('mcp__own__echo');
    expect(await session.mcpServerStatus()).toMatchObject([{ name: 'own' }, { name: 'slow', status: 'connecting' }]);
  });

  it('is not waited for with mcpStartWait: 0; its tools come when it is ready (M19)', async () => {
    const { session, ask, offered } = await obeying({ mcpServers: { own: unseen() }, mcpStartWait: 0 });
    await ask();
    expect(offered(0)).toEqual([]);
    await vi.waitFor(
      async () => expect(await session.mcpServerStatus()).toMatchObject([{ status: 'connected' }]),
      PATIENCE,
    );

    expect(await ask(echoed('late'))).toEqual(['late']);
  });
});

describe('a tool that has changed', () => {
  it('waits for mcpApprove; what was seen and approved holds over a resume and a fork (M14, M23)', async () => {
    const store = memoryStore();
    const first = await obeying({
      mcpServers: { own: stdio({ tools: [tool('a'), tool('b')], resources: false }) },
      store,
    });
    await first.ask();
    const { sessionId } = first.session;
    await first.session.close();

    const changed = {
      own: stdio({ tools: [tool('a', 'Sends everything away.'), tool('b'), tool('c')], resources: false }),
    };
    const second = await obeying({ mcpServers: changed, store, sessionId });
    const events = await say(second.session, '[]');
    expect(second.offered(0)).toEqual(['mcp__own__b', 'mcp__own__c']);
    expect(only(events, 'result')).toHaveLength(1);
    const [state] = await second.session.mcpServerStatus();
    expect(state?.problems).toMatchObject([{ kind: 'changed' }]);
    expect(second.session.diagnosis().checks).toMatchObject([{ name: 'mcp_problem' }]);

    const { provider } = scriptedProvider([{ text: 'Yes.' }]);
    const fork = await forkSession({ provider, model: 'm', store, sessionId, mcpServers: changed });
    const inFork = async () => (await fork.mcpListTools()).find(({ name }) => name === 'a');
    await vi.waitFor(async () => expect(await inFork()).toMatchObject({ approved: false }), PATIENCE);
    await fork.close();

    await second.session.mcpApprove('own', 'a');
    await second.ask();
    expect(second.offered(-1)).toEqual(['mcp__own__a', 'mcp__own__b', 'mcp__own__c']);
    await second.session.close();
    const third = await obeying({ mcpServers: changed, store, sessionId });
    await third.ask();
    expect(third.offered(0)).toEqual(['mcp__own__a', 'mcp__own__b', 'mcp__own__c']);
  });
});

describe('lists and rules', () => {
  const servers = { mcpServers: { own: stdio(), other: stdio() } };

  it('name a tool of a server, or all of them', async () => {
    const only1 = await obeying({ ...servers, allowedTools: ['mcp__own__*', 'mcp__other__fail'] });
    await only1.ask();
    expect(only1.offered(0).filter((name) => !name.startsWith('mcp__own__'))).toEqual(['mcp__other__fail']);

    const without = await obeying({ ...servers, disallowedTools: ['mcp__own__*', 'mcp__other__fail'] });
    expect(await without.ask(echoed('no'))).toEqual([expect.stringContaining('not')]);
    expect(without.offered(0)).not.toContain('mcp__other__fail');
    expect(without.offered(0).some((name) => name.startsWith('mcp__own__'))).toBe(false);
  });

  it('allow and ask about them; without a rule an unknown server is asked about, and plan mode refuses it (ZP05)', async () => {
    const asked: string[] = [];
    const canUseTool: SessionOptions['canUseTool'] = async (name) => {
      asked.push(name);
      return { behavior: 'allow' };
    };
    const other = { name: 'mcp__other__echo', input: { text: '2' } };
    const rules = await obeying({ ...servers, permissionMode: 'default', autoApprove: ['mcp__own__*'], canUseTool });
    expect(await rules.ask(echoed('1'), other)).toEqual(['1', '2']);
    expect(asked).toEqual(['mcp__other__echo']);

    const strict = await obeying({ ...servers, alwaysAsk: ['mcp__own__echo'], canUseTool });
    await strict.ask(echoed('1'), other);
    expect(asked).toEqual(['mcp__other__echo', 'mcp__own__echo']);
    const plan = await obeying({ ...servers, permissionMode: 'plan', autoApprove: ['mcp__own__*'], canUseTool });
    expect(await plan.ask(echoed('1'))).toEqual([expect.stringMatching(/^! .*plan/)]);
  });

  it('do not make them tools of the host: with nobody to ask they are refused, a trusted readonly one is not (P12, P25, M24)', async () => {
    const trusted = { mcpServers: { own: stdio(), other: stdio({}, { trusted: true }) } };
    const { ask } = await obeying({ ...trusted, permissionMode: 'default' });

    const [refused, own, readonly] = await ask(
      echoed('1'),
      { name: 'mcp__own__picture' },
      { name: 'mcp__other__picture' },
    );

    expect([refused, own]).toEqual([expect.stringMatching(/^! .*not run/), expect.stringMatching(/^! .*not run/)]);
    expect(readonly).not.toMatch(/^!/);
  });

  it.each<[string, Partial<SessionOptions>]>([
    ['an unknown server', { disallowedTools: ['mcp__onw__echo'] }],
    ['all tools of an unknown server', { autoApprove: ['mcp__onw__*'] }],
    ['a server without a tool', { disallowedTools: ['mcp__own'] }],
    ['a pattern, which such calls have nothing for', { alwaysAsk: ['mcp__own__echo(x)'] }],
    ['another wildcard', { allowedTools: ['mcp__*'] }],
    ['what is no text', { allowedTools: [7 as never] }],
    ['half a name', { disallowedTools: ['mcp__own__ec*'] }],
    ['a name that the model never sees', { disallowedTools: [`mcp__own__${'a'.repeat(80)}`] }],
    ['letters that the model never sees', { disallowedTools: ['mcp__own__read.file'] }],
  ])('are refused with %s', async (_, options) => {
    await expect(obeying({ ...servers, ...options })).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it.each(
    (['disallowedTools', 'alwaysAsk', 'autoApprove', 'allowedTools'] as const).flatMap((list) => [
      [list, 'mcp__own__', 'names no tool; write mcp__own__* for all of the server'],
      [list, 'mcp__*', 'names no server; write mcp__own__*, and so for each'],
    ]),
  )('are refused with %s: %s, which is no name of theirs, and what to write is said', async (list, written, why) => {
    await expect(obeying({ ...servers, [list]: [written] })).rejects.toThrow(`${list}: "${written}" ${why}`);
  });
});

describe('a session', () => {
  it.each<[string, object, string | undefined]>([
    ['a name with two underscores', { a__b: stdio() }, 'name'],
    ['no kind of server', { own: {} }, 'command'],
    ['an unknown key', { own: { ...stdio(), cmd: 'x' } }, undefined],
    ['a URL that is none', { own: { type: 'http', url: 'nowhere' } }, 'url'],
    ['a header with a line break', { own: { type: 'sse', url: 'http://x', headers: { a: 'b\r\nc: d' } } }, undefined],
  ])('is refused for a server with %s, before anything is started (M01, M18)', async (_, mcpServers, field) => {
    const store = memoryStore();
    const made = obeying({ mcpServers: mcpServers as never, store });
    await expect(made).rejects.toMatchObject({
      code: 'MCP_ERROR',
      errorType: 'CONFIG_ERROR',
      ...(field ? { field } : {}),
    });
    expect((await store.list()).sessions).toEqual([]);
  });

  it('without servers has none, and says so', async () => {
    const { session } = await obeying({});
    expect([await session.mcpServerStatus(), await session.mcpListTools()]).toEqual([[], []]);
    await expect(session.mcpConnect('own')).rejects.toMatchObject({ errorType: 'CONFIG_ERROR' });
  });

  it('that is aborted tells its server (M08)', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcp-session-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const journal = join(folder, 'journal');
    const { session } = await obeying({ mcpServers: { own: stdio({ journal }) } });
    await session.send(JSON.stringify([{ name: 'mcp__own__wait' }]));
    const lines = () => readFileSync(journal, 'utf8');
    for await (const event of session.stream()) {
      if (event.type !== 'tool_use') continue;
      void until(() => lines().includes('call wait')).then(() => session.abort());
    }
    await until(() => lines().includes('cancelled'));
    expect(resultOf(await say(session, '[]'))).toMatchObject({ subtype: 'success' });
  });
});
