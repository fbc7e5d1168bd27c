import { afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, type ServeOptions, serve } from '../src/index.ts';
import { held } from './support/held.ts';
import { exchanged, opened } from './support/raw.ts';
import { keptLog, toolsOf } from './support/served.ts';

const open: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function listening(options: ServeOptions): Promise<RunningServer> {
  const server = await serve({ port: 0, registry: toolsOf(), logger: keptLog().logger, ...options });
  open.push(server);
  return server;
}

describe('a server', () => {
  it('ZH01i ends the connection of a client that takes nothing of its answer, and of no other', {
    timeout: 30_000,
  }, async () => {
    const { registry, begun, end } = held();
    const large = 'x'.repeat(30_000_000);
    registry.register({ name: 'large', description: 'Says much', parameters: [] }, async () => large);
    const server = await listening({ registry, requestTimeout: 1_000, headersTimeout: 1_000, closeTimeout: 600_000 });
    const request = (name: string) => {
      const body = `{"name":"${name}"}`;
      const head = `POST /v1/tools/call HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nContent-Type: application/json\r\n`;
      return `${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    };
    const waiting = exchanged(server.port, request('held'));
    await begun;
    const stalled = await opened(server.port);
    stalled.on('error', () => undefined);
    stalled.pause().write(request('large'));
    setTimeout(() => end('late'), 2_500); // a call may take longer than a client may be idle

    expect(await waiting).toContain('late');
    await server.close(); // which waits for all connections
    stalled.destroy();
  });

  it('ends a connection on which nothing more is asked', async () => {
    const { port } = await listening({ keepAliveTimeout: 1 });

    expect(await exchanged(port, `GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)).toContain('keep-alive');
  });
});
