import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection of our own, for what no HTTP client sends. */
export async function opened(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** All that comes until the other side ends the connection. */
export async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => undefined); // a reset ends it too
  await new Promise((resolve) => socket.on('close', resolve));
  return Buffer.concat(chunks).toString('latin1');
}

/** Sends a text, and reads what comes until the end. */
export async function exchanged(port: number, text: string): Promise<string> {
  const socket = await opened(port);
  const reading = readToEnd(socket);
  socket.write(text, 'latin1');
  return await reading;
}

/** The status of an answer as it came. */
export function statusIn(text: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
}
