import { SessionError } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { EntryBody } from './entry.ts';
import type { SessionStore } from './session-store.ts';

/** Bytes of JSON over which a body is stored as a blob. */
const LARGE_BYTES = 256 * 1024;
/** A character of JSON is at most this many bytes of UTF-8. */
const MOST_BYTES = 3;

/** The bodies that were weighed last, and their JSON: for their store, which takes it at once. A WeakMap would cost a tenth of the JSON. */
let weighed: { readonly bodies: readonly object[]; readonly texts: (string | undefined)[] } = { bodies: [], texts: [] };

/** True when a body may be over the limit; never false if one is. A walk over its keys costs many times as much as its JSON. */
export function mayBeLarge(bodies: readonly EntryBody[]): boolean {
  let longest = 0;
  const texts = bodies.map((body) => {
    if (!holdsRecords(body)) return undefined;
    const json = JSON.stringify(thawed(body));
    longest = Math.max(longest, json.length);
    return json;
  });
  weighed = { bodies, texts };
  return longest * MOST_BYTES > LARGE_BYTES;
}

/** A body of the same JSON: that of a frozen list takes half as long again as that of a copy, copying included. */
function thawed(body: EntryBody): EntryBody {
  if (body.type !== 'record') return body;
  const { record } = body;
  if (record.type !== 'message') return body;
  const message = { ...record.message, content: [...record.message.content] } as typeof record.message; // safe: a copy
  return { ...body, record: { ...record, message } };
}

/** Only these grow with what people and tools say. */
function holdsRecords({ type }: EntryBody): boolean {
  return type === 'record' || type === 'conversation_rewound';
}

/** The JSON of a body that was weighed just now. */
export function weighedJson(body: object): string | undefined {
  return weighed.texts[weighed.bodies.indexOf(body)];
}

/** The same bodies, those over the limit stored as blobs and named by their hash. */
export async function storeLarge(
  store: SessionStore,
  sessionId: string,
  bodies: readonly EntryBody[],
): Promise<readonly EntryBody[]> {
  return await Promise.all(
    bodies.map(async (body): Promise<EntryBody> => {
      if (!holdsRecords(body)) return body;
      const bytes = new TextEncoder().encode(JSON.stringify(body));
      if (bytes.length <= LARGE_BYTES) return body;
      const sha256 = hashOf(bytes);
      await store.putBlob(sessionId, sha256, bytes);
      return { type: 'blob', of: body.type, sha256 };
    }),
  );
}

type BlobBody = Extract<EntryBody, { readonly type: 'blob' }>;

/** The body that a blob stands for. @throws SessionError `LOG_DAMAGED` when its bytes are missing or changed */
export function bodyIn({ sha256 }: BlobBody, bytes: Uint8Array | undefined): EntryBody {
  if (!bytes || hashOf(bytes) !== sha256) {
    throw new SessionError(`The stored bytes ${sha256} are missing or damaged`, { code: 'LOG_DAMAGED' });
  }
  return JSON.parse(new TextDecoder().decode(bytes)) as EntryBody; // safe: written by storeLarge, hash checked
}

/** The body itself, or the one that a blob stands for. @throws SessionError naming the session, as `bodyIn` */
export async function readBody(store: SessionStore, sessionId: string, body: EntryBody): Promise<EntryBody> {
  if (body?.type !== 'blob') return body; // a damaged log may hold anything, null too
  const bytes = await store.getBlob(sessionId, body.sha256);
  try {
    return bodyIn(body, bytes);
  } catch (cause) {
    throw new SessionError(`Session ${sessionId}: ${messageOf(cause)}`, { code: 'LOG_DAMAGED', cause });
  }
}

function hashOf(bytes: Uint8Array): string {
  const { hash } = process.getBuiltinModule('node:crypto'); // few sessions have a body that large
  return hash('sha256', bytes);
}
