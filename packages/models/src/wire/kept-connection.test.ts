import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { textOf } from '@x/core';
import { Agent, getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { ask, asking, REPLY } from '../../test/chat-over-http.ts';

const before = getGlobalDispatcher();

afterEach(() => setGlobalDispatcher(before));

describe('a kept connection', () => {
  it('that died in the meantime is replaced once, without a word', async () => {
    setGlobalDispatcher(new Agent());
    const server = await rawServer((socket, connection, number) => {
      if (connection === 1 && number === 2) socket.destroy();
      else answer(socket);
    });
    const again = asking(server);
    await again();

    const { value } = await again();

    expect(textOf(value)).toBe('Hi');
    expect(server.connections).toBe(2);
    server.close();
  });

  it('is not tried for ever', async () => {
    setGlobalDispatcher(new Agent());
    let dead = false;
    const server = await rawServer((socket) => (dead ? void socket.destroy() : answer(socket)));
    const again = asking(server);
    await again();
    dead = true;

    await expect(again()).rejects.toMatchObject({ name: 'ModelError', retryable: true });

    expect(server.connections).toBe(2);
    server.close();
  });

  it('is none when nothing has ever come on it: the service may have begun to work', async () => {
    setGlobalDispatcher(new Agent());
    const server = await rawServer((socket) => socket.destroy());

    await expect(ask(server)).rejects.toMatchObject({ name: 'ModelError', retryable: true });

    expect(server.connections).toBe(1);
    server.close();
  });

  it('is not replaced once a byte of the answer has come', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n', () =>
        socket.destroy(),
      );
    });

    await expect(ask(server)).rejects.toMatchObject({ name: 'ModelError', retryable: true });

    expect(server.connections).toBe(1);
    server.close();
  });
});

function answer(socket: Socket): void {
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${REPLY.length}\r\n\r\n`;
  socket.write(head + REPLY);
}

/** Calls `serve` for each request, with the number of the connection and of the request on it. */
async function rawServer(serve: (socket: Socket, connection: number, number: number) => void) {
  let connections = 0;
  const server: Server = createServer((socket) => {
    const connection = ++connections;
    let number = 0;
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      if (bytes.includes('POST ')) serve(socket, connection, ++number);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    close: () => server.close(),
  };
}
