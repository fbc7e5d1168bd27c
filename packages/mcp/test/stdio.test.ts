import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { McpLaunch } from '../src/index.ts';
import { called, closeAll, folder, hubOf, isRunning, linesOf, toolOf, until } from './support/hubs.ts';
import { PIXEL } from './support/plain-server.ts';
import { stdio } from './support/servers.ts';

afterEach(closeAll);

describe('a stdio server', () => {
  it('offers its tools, ordered by server and name (M06, M27)', async () => {
    const hub = hubOf({ b: stdio(), a: stdio() });

    await hub.ready();

    const names = ['ask', 'change', 'child', 'echo', 'exit', 'fail', 'picture', 'place', 'steps', 'wait'];
    expect(hub.tools().map(({ name }) => name)).toEqual([
      ...names.map((name) => `mcp__a__${name}`),
      ...names.map((name) => `mcp__b__${name}`),
    ]);
    expect(hub.tools()).toBe(hub.tools());
  });

  it('answers calls; errors, images and structured content are kept (M06)', async () => {
    const hub = hubOf({ a: stdio() });
    await hub.ready();

    expect(await called(toolOf(hub, 'mcp__a__echo'), { text: 'hi' })).toMatchObject({ output: 'hi', isError: false });
    expect(await called(toolOf(hub, 'mcp__a__fail'))).toMatchObject({ output: 'it failed', isError: true });
    expect(await called(toolOf(hub, 'mcp__a__picture'))).toMatchObject({
      output: '{"width":1}',
      data: { width: 1 },
      images: [{ type: 'image', mediaType: 'image/png', data: PIXEL }],
    });
  });

  it('shows progress while a call runs', async () => {
    const hub = hubOf({ a: stdio() });
    await hub.ready();

    const { progress, output } = await called(toolOf(hub, 'mcp__a__steps'));

    expect(progress).toEqual(['1/2 step 1\n', '2/2 step 2\n']);
    expect(output).toBe('done');
  });

  it('is started without a shell, in the directory, with the small environment and its own (M01a, M11)', async () => {
    vi.stubEnv('SECRET_OF_THE_HOST', 'x');
    const cwd = folder();
    const hub = hubOf({ a: stdio({ stderr: '$HOME' }, { env: { OWN: '$(id)' } }) }, { cwd, env: { SHARED: '1' } });
    await hub.ready();

    const place = JSON.parse((await called(toolOf(hub, 'mcp__a__place'))).output);

    vi.unstubAllEnvs();
    expect(place.cwd).toBe(cwd);
    expect(place.env).toMatchObject({ OWN: '$(id)', SHARED: '1', PATH: process.env['PATH'] });
    expect(Object.keys(place.env)).not.toContain('SECRET_OF_THE_HOST');
  });

  it('is told of an abort (M08)', async () => {
    const journal = join(folder(), 'journal');
    const hub = hubOf({ a: stdio({ journal }) });
    await hub.ready();
    const end = new AbortController();

    const call = called(toolOf(hub, 'mcp__a__wait'), {}, end.signal);
    await until(() => linesOf(journal).includes('call wait'));
    end.abort();

    await expect(call).rejects.toMatchObject({ code: 'ABORTED' });
    await until(() => linesOf(journal).includes('cancelled'));
  });

  it('is told of a time-out, which is an error result', async () => {
    const journal = join(folder(), 'journal');
    const hub = hubOf({ a: stdio({ journal }, { timeoutMs: 200 }) });
    await hub.ready({ timeoutMs: 10_000 });
    await hub.connect('a').catch(() => undefined);

    const result = await called(toolOf(hub, 'mcp__a__wait'));

    expect(result).toMatchObject({
      isError: true,
      interrupted: 'unknown',
      output: expect.stringContaining('timed out'),
    });
    await until(() => linesOf(journal).includes('cancelled'));
  });

  it('gets no more requests at the same time than its limit', async () => {
    const hub = hubOf({ a: stdio() }, { limits: { maxPending: 1 } });
    await hub.ready();
    const end = new AbortController();

    const first = called(toolOf(hub, 'mcp__a__wait'), {}, end.signal);
    const second = await called(toolOf(hub, 'mcp__a__echo'));
    end.abort();
    await first.catch(() => undefined);

    expect(second).toMatchObject({
      isError: true,
      output: expect.stringContaining('has 1 requests to answer already'),
    });
    expect(await called(toolOf(hub, 'mcp__a__echo'), { text: 'x' })).toMatchObject({ output: 'x' });
  });

  it('is ended in the middle of its start too, when the hub is closed (M10)', async () => {
    const journal = join(folder(), 'journal');
    const hub = hubOf({ a: stdio({ journal, hang: true }) });
    await until(() => linesOf(journal).length > 0);
    const pid = Number(linesOf(journal)[0]!.split(' ')[1]);

    await hub.close();

    expect(isRunning(pid)).toBe(false);
    expect(hub.status()).toMatchObject([{ status: 'disconnected' }]);
  });

  it('that cannot be started again is given up after some tries, and reconnect tries anew (M15)', async () => {
    const gone = join(folder(), 'gone');
    const launch = (launched: McpLaunch): McpLaunch =>
      linesOf(gone).length > 0 ? { ...launched, argv: ['/nowhere'] } : launched;
    const hub = hubOf({ a: stdio() }, { launch, reconnect: { attempts: 3, baseMs: 1, maxMs: 1_000 } });
    await hub.ready();
    const state = () => hub.status()[0]!;

    writeFileSync(gone, 'x\n');
    await called(toolOf(hub, 'mcp__a__exit'));
    await until(() => state().status === 'error' && hub.tools().length === 0);
    const error = state().error;
    rmSync(gone);
    await hub.reconnect('a');

    expect(error).toContain('ENOENT');
    expect(state()).toMatchObject({ status: 'connected', toolCount: 10 });
  });

  it('is gone with all that it has started when the hub is closed (M10)', async () => {
    const hub = hubOf({ a: stdio() });
    await hub.ready();
    const { pid } = JSON.parse((await called(toolOf(hub, 'mcp__a__place'))).output);
    const child = Number((await called(toolOf(hub, 'mcp__a__child'))).output);
    expect([isRunning(pid), isRunning(child)]).toEqual([true, true]);

    await hub.close();

    await until(() => !isRunning(pid) && !isRunning(child));
    await hub.close();
  });

  it('gets SIGTERM when the end of its input does not end it, then SIGKILL (M10)', async () => {
    const journal = join(folder(), 'journal');
    const hub = hubOf({ a: stdio({ journal, stubborn: true }) });
    await hub.ready();
    const pid = Number(linesOf(journal)[0]!.split(' ')[1]);

    await hub.close();

    expect(linesOf(journal)).toContain('SIGTERM');
    expect(isRunning(pid)).toBe(false);
  });

  it('that dies in a call makes its result unknown, and is started again by itself (M05, M15, M26)', async () => {
    const journal = join(folder(), 'journal');
    const states: string[] = [];
    const hub = hubOf(
      { a: stdio({ journal, stderr: 'about to go' }), b: stdio() },
      { onNotice: () => states.push(hub?.status()[0]!.status) },
    );
    await hub.ready();
    const connectedAt = hub.status()[0]!.connectedAt;

    const result = await called(toolOf(hub, 'mcp__a__exit'));

    expect(result).toMatchObject({ isError: true, interrupted: 'unknown' });
    expect(result.output).toContain('code 7; its standard error ends with: about to go');
    expect(await called(toolOf(hub, 'mcp__b__echo'), { text: 'here' })).toMatchObject({ output: 'here' });
    expect(await called(toolOf(hub, 'mcp__a__echo'), { text: 'again' })).toMatchObject({ output: 'again' });
    expect(hub.status()[0]).toMatchObject({ status: 'connected' });
    expect(hub.status()[0]).not.toHaveProperty('error');
    expect(hub.status()[0]!.connectedAt).not.toEqual(connectedAt);
    expect(states).toContain('error');
    expect(linesOf(journal).filter((line) => line.startsWith('start'))).toHaveLength(2);
  });
});
