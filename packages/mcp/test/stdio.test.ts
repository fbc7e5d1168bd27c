import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { called, closeAll, folder, hubOf, isRunning, linesOf, stdio, toolOf, until } from './support/hubs.ts';
import { PIXEL } from './support/plain-server.ts';

afterEach(closeAll);

describe('a stdio server', () => {
  it('offers its tools, ordered by server and name (M06, M27)', async () => {
    const hub = hubOf({ b: stdio(), a: stdio() });

    await hub.ready();

    const names = ['change', 'child', 'echo', 'exit', 'fail', 'picture', 'place', 'roots', 'steps', 'wait'];
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
