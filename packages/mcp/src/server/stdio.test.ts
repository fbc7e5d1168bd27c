import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { serveToolsOverStdio } from './stdio.ts';

const PING = new TextEncoder().encode(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);

describe('serveToolsOverStdio', () => {
  it('keeps nothing of an input that it has read', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void; // safe: the flag makes it one
    const read: WeakRef<Uint8Array>[] = [];
    let kept = Number.NaN;
    async function* input() {
      for (let chunk = 0; chunk < 200; chunk += 1) {
        const bytes = PING.slice();
        read.push(new WeakRef(bytes));
        yield bytes;
      }
      await turn(); // in which a WeakRef keeps what it refers to
      collect();
      kept = read.filter((one) => one.deref() !== undefined).length;
    }
    const output = new Writable({ write: (_chunk, _encoding, done) => done() });
    const source = { mcpTools: () => [], callMcpTool: async () => ({ content: [] }), onChange: () => () => undefined };
    const server = serveToolsOverStdio(source, { input: input(), output });
    await server.ended;

    expect(read).toHaveLength(200);
    expect(kept).toBeLessThan(10);
  });
});
