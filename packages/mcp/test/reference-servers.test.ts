import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { listen } from './support/http-servers.ts';
import { called, closeAll, folder, hubOf, toolOf, until } from './support/hubs.ts';
import { reference } from './support/reference.ts';

afterEach(closeAll);

/** The number of a running reference server, from the table of processes. */
function pidOf(marker: string): number | undefined {
  const { readdirSync } = process.getBuiltinModule('node:fs');
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      if (Number(name) === process.pid || !readFileSync(`/proc/${name}/environ`, 'latin1').includes(marker)) continue;
      return Number(name);
    } catch {
      // It has just ended.
    }
  }
  return undefined;
}

describe.each([
  ['server-everything', 'echo', { message: 'hi' }, 'Echo: hi'],
  ['server-memory', 'read_graph', {}, '"entities": []'],
] as const)('%s', (name, tool, input, text) => {
  it('is listed, called, and started again after kill -9 (M05, M06, M15)', async () => {
    const marker = crypto.randomUUID();
    const env = { MARKER: marker, MEMORY_FILE_PATH: join(folder(), 'notes.jsonl') };
    const hub = hubOf({ ref: reference(name, name === 'server-everything' ? ['stdio'] : [], env) });
    await hub.ready();

    const first = await called(toolOf(hub, `mcp__ref__${tool}`), input);
    process.kill(pidOf(`MARKER=${marker}`)!, 'SIGKILL');
    await until(() => hub.status()[0]!.status !== 'connected');
    await until(() => hub.status()[0]!.status === 'connected');
    const second = await called(toolOf(hub, `mcp__ref__${tool}`), input);

    expect(hub.status()[0]).not.toHaveProperty('problems');
    expect([first, second]).toMatchObject([
      { isError: false, output: expect.stringContaining(text) },
      { isError: false, output: expect.stringContaining(text) },
    ]);
  });
});

describe('server-everything', () => {
  it('shows progress, and is told of an abort (M08)', async () => {
    const hub = hubOf({ ref: reference('server-everything', ['stdio']) });
    await hub.ready();
    const long = toolOf(hub, 'mcp__ref__trigger-long-running-operation');
    const end = new AbortController();

    const whole = await called(long, { duration: 0.2, steps: 2 });
    const cut = called(long, { duration: 60, steps: 2 }, end.signal);
    setTimeout(() => end.abort(), 20);

    expect(whole.progress).toEqual(['1/2\n', '2/2\n']);
    await expect(cut).rejects.toMatchObject({ code: 'ABORTED' });
  });

  it('has resources, prompts and pictures', async () => {
    const hub = hubOf({ ref: reference('server-everything', ['stdio']) });
    await hub.ready();

    const resources = await hub.listResources('ref');
    const [content] = await hub.readResource('ref', resources[0]!.uri);
    const prompts = await hub.listPrompts('ref');
    const picture = await called(toolOf(hub, 'mcp__ref__get-tiny-image'));

    expect(content).toMatchObject({ uri: resources[0]!.uri });
    expect(await hub.getPrompt('ref', prompts[0]!.name)).toMatchObject([{ role: 'user' }]);
    expect(picture.images).toMatchObject([{ mediaType: 'image/png' }]);
  });

  it('answers over streamable HTTP (M01c)', async () => {
    const { port, stop } = await listen(() => undefined);
    await stop(); // a port that is free
    const hub = hubOf(
      {
        ref: { type: 'http', url: `http://127.0.0.1:${port}/mcp` },
        process: reference('server-everything', ['streamableHttp'], { PORT: String(port) }),
      },
      { reconnect: { attempts: 1_000, baseMs: 20, maxMs: 50 } },
    );

    await until(() => hub.status().find(({ name }) => name === 'ref')!.status === 'connected');

    expect(await called(toolOf(hub, 'mcp__ref__echo'), { message: 'hi' })).toMatchObject({ output: 'Echo: hi' });
  });
});

describe('server-filesystem', () => {
  it('reads and writes what it was given, and nothing else', async () => {
    const root = folder();
    mkdirSync(join(root, 'open'));
    writeFileSync(join(root, 'secret'), 'x');
    const hub = hubOf({ files: reference('server-filesystem', [join(root, 'open')]) }, { handlers: {} });
    await hub.ready();

    const wrote = await called(toolOf(hub, 'mcp__files__write_file'), { path: join(root, 'open/a'), content: 'A' });
    const refused = await called(toolOf(hub, 'mcp__files__read_text_file'), { path: join(root, 'secret') });

    expect(wrote.isError).toBe(false);
    expect(readFileSync(join(root, 'open/a'), 'utf8')).toBe('A');
    expect(refused).toMatchObject({ isError: true });
  });
});
