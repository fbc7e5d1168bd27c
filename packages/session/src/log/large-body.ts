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
    if (!mayGrow(body)) return undefined;
    const json = jsonOf(body);
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

/** Only these grow with what people, tools and servers say. */
function mayGrow({ type }: EntryBody): boolean {
  return type === 'record' || type === 'conversation_rewound' || type === 'mcp_pins';
}

/** The same pins for all sessions that begin with the same tools, and what was made of them: their list is frozen. */
const ofPins = new WeakMap<object, { readonly json: string; blob?: Blob | null }>();

function jsonOf(body: EntryBody): string {
  if (body.type !== 'mcp_pins' || !Object.isFrozen(body.pins)) return JSON.stringify(thawed(body));
  let known = ofPins.get(body.pins);
  if (!known) ofPins.set(body.pins, (known = { json: JSON.stringify(body) }));
  return known.json;
}

interface Blob {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** The bytes of a body over the limit; null for another one. */
function blobOf(body: EntryBody): Blob | null {
  const known = knownOf(body);
  if (known?.blob !== undefined) return known.blob;
  const bytes = new TextEncoder().encode(known?.json ?? JSON.stringify(body));
  const blob = bytes.length > LARGE_BYTES ? { bytes, sha256: hashOf(bytes) } : null;
  if (known) known.blob = blob;
  return blob;
}

function knownOf(body: object) {
  const { pins } = body as { readonly pins?: readonly object[] }; // safe: read as possibly absent
  return pins && ofPins.get(pins);
}

/** The JSON of a body that was weighed just now, or is that of other sessions too. */
export function weighedJson(body: object): string | undefined {
  return weighed.texts[weighed.bodies.indexOf(body)] ?? knownOf(body)?.json;
}

/** The same bodies, those over the limit stored as blobs and named by their hash. */
export async function storeLarge(
  store: SessionStore,
  sessionId: string,
  bodies: readonly EntryBody[],
): Promise<readonly EntryBody[]> {
  return await Promise.all(
    bodies.map(async (body): Promise<EntryBody> => {
      if (!mayGrow(body)) return body;
      const blob = blobOf(body);
      if (!blob) return body;
      await store.putBlob(sessionId, blob.sha256, blob.bytes);
      return { type: 'blob', of: body.type, sha256: blob.sha256 };
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
