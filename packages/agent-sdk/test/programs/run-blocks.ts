// Runs programs one after the other as they are, with a service of this process in the place of all others.
// node run-blocks.ts <file>...; prints what came of each as the last line, as JSON.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import { streamFor } from './spoken-streams.ts';

interface Dispatcher {
  dispatch(options: { origin: string }, handler: unknown): boolean;
}

const server = createServer((request, response) => {
  let asked = '';
  request.setEncoding('utf8').on('data', (text: string) => (asked += text));
  request.on('end', () => {
    if (/count_?tokens/i.test(request.url ?? '')) {
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' });
      return response.end('{"input_tokens":7,"totalTokens":7}');
    }
    const text = asked.includes('"json_schema"') ? '{"summary":"Hello.","confidence":0.9}' : 'Hello.';
    response.writeHead(200, { 'content-type': 'text/event-stream', connection: 'close' });
    return response.end(streamFor(request.url ?? '', text));
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

// The ones that the models and fetch use, which are two from Node 26 on; they are there once fetch was loaded.
const keys = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')];
const place = globalThis as { [key: symbol]: Dispatcher | undefined };
void globalThis.Headers;
const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
// What a block serves itself is asked there.
const isOwn = (asked: string) => asked.startsWith('http://127.0.0.1:');
for (const key of keys) {
  const real = place[key];
  if (!real) continue;
  place[key] = {
    dispatch: (options, handler) => real.dispatch(isOwn(options.origin) ? options : { ...options, origin }, handler),
  };
}

const failures: Record<string, string> = {};
for (const file of process.argv.slice(2)) {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    failures[file] = inspect(error);
  }
}
server.close();
console.log(`\n${JSON.stringify(failures)}`);
