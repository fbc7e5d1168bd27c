import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** Passes requests on to a service on this machine, and keeps their bodies. */
export async function recordingProxy(target: string) {
  const bodies: string[] = [];
  const pass = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    bodies.push(body);
    const headers = { 'content-type': 'application/json', authorization: 'Bearer key', 'x-api-key': 'key' };
    const answer = await fetch(`${target}${request.url}`, { method: request.method ?? 'POST', headers, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(Buffer.from(await answer.arrayBuffer()));
  };
  const server = createServer((request, response) => {
    pass(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = async () => {
    server.close();
    server.closeAllConnections();
    await once(server, 'close').catch(() => undefined);
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, bodies, close };
}
