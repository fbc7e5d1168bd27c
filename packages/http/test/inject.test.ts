import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ToolRegistry } from '@x/registry';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { createApp, createServer } from '../src/index.ts';
import { called, toolsOf } from './support/served.ts';

const sources = fileURLToPath(new URL('../src/', import.meta.url));

describe('createServer', () => {
  it('H31 answers without a port: status, headers, body, json', async () => {
    const server = await createServer({ registry: toolsOf() });
    const answer = await server.inject({
      method: 'POST',
      url: '/v1/tools/call?x=1',
      headers: { 'content-type': 'application/json' },
      payload: '{"name":"add-one","parameters":{"a":1}}',
    });

    expect(answer.statusCode).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(JSON.parse(answer.body)).toEqual(answer.json());
    expect(answer.json()).toMatchObject({ result: 2 });
  });

  it.each([
    [{ url: '/' }, 'method must be'],
    [{ method: 'GET', url: 'nope' }, 'url must be'],
    [{ method: 'GET', url: '/', body: '{}' }, 'unknown body'],
    [{ method: 'GET', url: '/', payload: '{}' }, 'that fetch would send'],
    [{ method: 'GET', url: '/', headers: { 'a b': 'c' } }, 'that fetch would send'],
  ])('H31 refuses %j', async (request, message) => {
    const injected = (await createServer()).inject(request as never);

    await expect(injected).rejects.toMatchObject({
      name: 'ValidationError',
      message: expect.stringContaining(message),
    });
  });

  it('H32 ends calls when it is closed, twice too, and takes no more', async () => {
    const begun = Promise.withResolvers<void>();
    const registry = new ToolRegistry();
    registry.register({ name: 'held', description: 'Waits', parameters: [] }, () => {
      begun.resolve();
      return new Promise(() => undefined);
    });
    const server = await createServer({ registry });
    const answering = called(server, { name: 'held' });
    await begun.promise;

    await Promise.all([server.close(), server.close()]);

    expect((await answering).json()).toMatchObject({ success: false, code: 'ABORTED' });
    await expect(called(server, { name: 'held' })).rejects.toMatchObject({ code: 'SERVER_CLOSED', statusCode: 503 });
  });

  it('H32 lets the process end', async () => {
    const program = `import { createServer, serve } from ${JSON.stringify(join(sources, 'index.ts'))};
      const [one, other] = [await createServer(), await serve({ port: 0 })];
      await fetch(other.url);
      await Promise.all([one.close(), other.close()]);
      console.log('closed');`;
    const args = ['--conditions=@x/source', '--no-warnings', '--input-type=module', '-e', program];

    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 30_000 });

    expect(stdout.trim()).toBe('closed');
  });
});

describe('createApp', () => {
  it('H31 gives the same routes, mountable in another app', async () => {
    const parent = new Hono()
      .get('/mine', (context) => context.text('mine'))
      .route('/api', createApp({ registry: toolsOf() }));

    expect(await (await parent.request('/api/v1/tools?tag=math')).json()).toMatchObject({ pagination: { total: 2 } });
    expect((await parent.request('/api/v1/tools/nope')).status).toBe(404);
    expect(await (await parent.request('/api/nope')).json()).toMatchObject({ code: 'NOT_FOUND' });
    expect((await parent.request('/api/v1/tools', { method: 'PUT' })).headers.get('allow')).toBe('GET, HEAD');
    expect((await parent.request('/api/v1/tools', { headers: { host: 'evil.example' } })).status).toBe(403);
    expect(await (await parent.request('/mine')).text()).toBe('mine');
  });

  it('H31 needs no module of Node: it runs on any Fetch runtime', () => {
    const files = reached(join(sources, 'create-app.ts'));
    const texts = [...files].map((file) => readFileSync(file, 'utf8'));

    expect(files.size).toBeGreaterThan(10);
    expect(texts.filter((text) => /from '(node:|@hono\/node-server)/.test(text))).toEqual([]);
    expect(readFileSync(join(sources, 'node/listen.ts'), 'utf8')).toContain("from 'node:http'");
  });
});

/** The files that one imports, and those that they do. */
function reached(file: string, known: Set<string> = new Set()): Set<string> {
  if (known.has(file)) return known;
  known.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(/^(?:import|export|\}).* from '(\.[^']+)'/gm))
    reached(join(dirname(file), path!), known);
  return known;
}
