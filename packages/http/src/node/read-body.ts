import type { IncomingMessage } from 'node:http';
import type { Bytes } from '../answers/http-env.ts';

/** Reads what Node gives of a body, without the copies of a Request: an eighth of a call's time. Rejects when the sender goes away. */
export function readBody(incoming: IncomingMessage, most: number): Promise<Bytes | 'too many'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer<ArrayBuffer>[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer<ArrayBuffer>) => {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= most) return;
      incoming.removeAllListeners('data').pause(); // left as it is: ending it would end the connection before the answer
      resolve('too many');
    });
    incoming.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)));
    incoming.on('error', reject);
    incoming.on('close', () => incoming.readableEnded || reject(new Error('closed before its end')));
  });
}
