// needs: chromium
// The typed client in a Chromium, bundled for it, on a page of another site than the server: a call, a refused call, a run streamed to its result, and
// events that go on over a server that ends and comes again on its port.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { memoryStore } from '@x/session';
import { build } from 'esbuild';
import { chromium, type Page } from 'playwright-core';
import { Tally } from '../../session/verify/support/tally.ts';
import { serve } from '../src/index.ts';
import { sessionHost } from '../src/sessions/index.ts';
import { profileOf } from '../test/support/hosted.ts';
import { toolsOf } from '../test/support/served.ts';

const TOKEN = 'token-of-ann';
const tally = new Tally();
const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL('../src/client/index.ts', import.meta.url))],
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  conditions: ['@x/source'],
  write: false,
});
const script = outputFiles[0]!.text; // one entry
const site = createServer((request, answer) => {
  const isScript = request.url === '/client.js';
  answer.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
  answer.end(isScript ? script : '<!doctype html><title>client</title>');
});
await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`; // safe: it listens on a port

const store = memoryStore();
let server = await served(0);
const { port } = server;
const executablePath = execFileSync('which', ['chromium'], { encoding: 'utf8' }).trim();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage();
  page.on('pageerror', (error) => tally.check('no error in the page', [String(error)]));
  await page.goto(origin);
  await same('a call', page, `await client.tools.call('add-one', { a: 1 })`, 2);
  await same(
    'a refused call',
    page,
    `await client.tools.call('nope').catch((error) => [error.code, error.statusCode, typeof error.requestId])`,
    ['TOOL_NOT_FOUND', 404, 'string'],
  );
  await same('a stream up to its result', page, streamed(), 'user_message content result: Answer 1.');
  await evaluated(page, followed());
  await server.close();
  server = await served(port);
  await same('events over another server', page, `await again()`, ['Answer 1.', 'Answer 3.']);
} finally {
  await browser.close();
  await server.close();
  site.close();
  await store[Symbol.asyncDispose]();
}
console.log(`seen in chromium ${browser.version()}, with a client of ${script.length} bytes`);
tally.end();

/** The messages that are told whoever is there, and the last one's text. */
function streamed(): string {
  return `await (async () => {
    globalThis.session = await client.sessions.create();
    await session.send('One.');
    const told = [];
    for await (const message of session.stream()) told.push(message);
    const types = told.map(({ type }) => type).filter((type) => ['user_message', 'content', 'result'].includes(type));
    return [...new Set(types)].join(' ') + ': ' + told.at(-1).content;
  })()`;
}

/** Reads until two runs have ended; `again` sends the second message. Over with the first event: a first connection is not tried again. */
function followed(): string {
  return `await new Promise((begun, failed) => {
    globalThis.reading = (async () => {
      const results = [];
      for await (const { event } of session.events()) {
        begun(0);
        if (event.type === 'result' && results.push(event.content) === 2) return results;
      }
    })();
    reading.catch(failed);
    globalThis.again = async () => (await session.send('Two.'), await reading);
  })`;
}

async function served(at: number) {
  return await serve({
    port: at,
    logLevel: 'fatal',
    registry: toolsOf(),
    tokens: [{ name: 'ann', token: TOKEN }],
    sessions: sessionHost({ store, profiles: { chat: profileOf() }, lookEveryMs: 20 }),
    cors: { enabled: true, origin },
    closeTimeout: 1_000,
  });
}

async function evaluated(page: Page, expression: string): Promise<unknown> {
  return await page.evaluate(`(async () => {
    const { createClient } = await import('/client.js');
    globalThis.client ??= createClient({ baseUrl: 'http://127.0.0.1:${port}', token: '${TOKEN}' });
    return ${expression};
  })()`);
}

async function same(what: string, page: Page, expression: string, expected: unknown): Promise<void> {
  const [found, wanted] = [JSON.stringify(await evaluated(page, expression)), JSON.stringify(expected)];
  tally.check(what, found === wanted ? [] : [`${found} in place of ${wanted}`]);
}
