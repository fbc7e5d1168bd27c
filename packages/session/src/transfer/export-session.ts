import { checkOptions } from '@x/errors/option-rules';
import { inSharesAsync } from '../host/loop-share.ts';
import { type EntryBody, LOG_FORMAT, type SessionEntry } from '../log/entry.ts';
import { bodyIn } from '../log/large-body.ts';
import { forward } from '../log/log-format.ts';
import type { InboxItem, SessionStore } from '../log/session-store.ts';
import { messageIdIn } from '../run/session-inbox.ts';
import { checkSessionId, damaged } from '../store/refusals.ts';
import { STORE_OPTIONS, type StoreOptions, usedStore } from '../store/using-store.ts';

/** The version of the lines that this version writes and reads. */
export const EXPORT_VERSION = 1;
/** Bytes of a blob that one line carries. */
const PIECE_BYTES = 512 * 1024;

/** One line of an export: the first identifies it, the last proves it complete. */
export type ExportLine =
  | {
      readonly type: 'session_export';
      readonly version: number;
      /** Of the entries. */
      readonly format: number;
      readonly sessionId: string;
    }
  /** A piece of a blob, before the entry that names it; `last` when it is whole. */
  | { readonly type: 'blob'; readonly sha256: string; readonly base64: string; readonly last: boolean }
  | { readonly type: 'entry'; readonly seq: number; readonly at: string; readonly body: EntryBody }
  /** A message that waits to be delivered. */
  | { readonly type: 'inbox'; readonly item: InboxItem }
  /** Number of entries and waiting messages, and the SHA-256 (hex) of all lines before, each with its line end. */
  | { readonly type: 'end'; readonly entries: number; readonly inbox: number; readonly sha256: string };

/**
 * Exports a session as JSON lines, each with its line end: its present log, with the messages that wait to be delivered. Needs no lease and
 * disturbs no run. `importSession` reads it. @throws SessionError `SESSION_NOT_FOUND`, `LOG_DAMAGED`, `LOG_TOO_NEW`; ValidationError
 */
export async function* exportSession(
  sessionId: string,
  options: StoreOptions = {},
): AsyncGenerator<string, void, void> {
  checkSessionId(sessionId);
  checkOptions('The options', options, STORE_OPTIONS);
  const { createHash } = process.getBuiltinModule('node:crypto');
  const hash = createHash('sha256');
  const used = usedStore(options);
  try {
    const counts = { entries: 0, inbox: 0 };
    for await (const line of inSharesAsync(linesOf(used.store, sessionId))) {
      if (line.type === 'entry' || line.type === 'inbox') counts[line.type === 'entry' ? 'entries' : 'inbox'] += 1;
      const text = `${JSON.stringify(line)}\n`;
      hash.update(text);
      yield text;
    }
    const end: ExportLine = { type: 'end', ...counts, sha256: hash.digest('hex') };
    yield `${JSON.stringify(end)}\n`;
  } finally {
    await used[Symbol.asyncDispose]();
  }
}

async function* linesOf(store: SessionStore, sessionId: string): AsyncGenerator<ExportLine, void, void> {
  // Before the log: a message that is delivered meanwhile is in both, never missing from both.
  const waiting = await store.inbox(sessionId);
  yield { type: 'session_export', version: EXPORT_VERSION, format: LOG_FORMAT, sessionId };
  const blobs = new Set<string>();
  const delivered = new Set<string>();
  const newest = forward();
  let seq = 0;
  for await (const entry of store.read(sessionId)) {
    const { at, body } = entry;
    if (entry.seq !== ++seq) throw damaged(`Entry ${seq}`, sessionId, undefined);
    let full = body;
    if (body?.type === 'blob') {
      const bytes = await store.getBlob(sessionId, body.sha256);
      full = inBlob(entry, bytes, sessionId);
      if (bytes && !blobs.has(body.sha256)) yield* piecesOf(body.sha256, bytes);
      blobs.add(body.sha256);
    }
    yield { type: 'entry', seq, at, body };
    const newer = full && newest(full);
    const id = newer?.type === 'record' ? messageIdIn(newer.record) : undefined;
    if (id !== undefined) delivered.add(id);
  }
  for (const item of waiting) {
    if (delivered.has(item.message.id)) continue;
    if (item.blob !== undefined && !blobs.has(item.blob))
      yield* piecesOf(item.blob, await blobOf(store, sessionId, item));
    if (item.blob !== undefined) blobs.add(item.blob);
    yield { type: 'inbox', item };
  }
}

async function blobOf(store: SessionStore, sessionId: string, { blob, message }: InboxItem): Promise<Uint8Array> {
  const bytes = await store.getBlob(sessionId, blob!); // the caller has looked
  try {
    bodyIn({ type: 'blob', of: 'record', sha256: blob! }, bytes);
  } catch (cause) {
    throw damaged(`Message ${message.id}`, sessionId, cause);
  }
  return bytes!; // it was read just now
}

function inBlob({ seq, body }: SessionEntry, bytes: Uint8Array | undefined, sessionId: string): EntryBody {
  try {
    return body.type === 'blob' ? bodyIn(body, bytes) : body;
  } catch (cause) {
    throw damaged(`Entry ${seq}`, sessionId, cause);
  }
}

function* piecesOf(sha256: string, bytes: Uint8Array): Generator<ExportLine> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    const piece = bytes.subarray(from, from + PIECE_BYTES);
    const base64 = Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('base64');
    yield { type: 'blob', sha256, base64, last: from + PIECE_BYTES >= bytes.length };
  }
}
