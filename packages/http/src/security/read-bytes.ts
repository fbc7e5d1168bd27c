import { ValidationError } from '@x/core';
import type { HonoRequest } from 'hono';
import type { Bytes, HttpEnv } from '../answers/http-env.ts';

/** The bytes of a body, or `too many`; reading ends there. @throws ValidationError when the sender goes away */
export async function bytesWithin(
  request: HonoRequest,
  most: number,
  readBody?: HttpEnv['Bindings']['readBody'],
): Promise<Bytes | 'too many'> {
  try {
    if (readBody) return await readBody(most);
    // The server itself holds a body to its Content-Length; without one, nobody does.
    const { raw } = request;
    if (raw.headers.get('content-length') === null && !raw.bodyUsed) return await countedBytes(raw, most);
    const bytes = new Uint8Array(await request.arrayBuffer()); // hono keeps what a middleware before us has read
    return bytes.byteLength > most ? 'too many' : bytes;
  } catch {
    throw new ValidationError('The body could not be read to its end');
  }
}

async function countedBytes({ body }: Request, most: number): Promise<Bytes | 'too many'> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader?.read(); next?.value; next = await reader?.read()) {
    size += next.value.byteLength;
    if (size > most) return 'too many'; // left as it is: cancelling would end the connection before the answer
    chunks.push(next.value);
  }
  const bytes = new Uint8Array(size);
  let end = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, end);
    end += chunk.byteLength;
  }
  return bytes;
}
