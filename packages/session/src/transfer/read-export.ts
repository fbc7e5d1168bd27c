import { isAgentError, SessionError, ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';
import { inSharesAsync } from '../host/loop-share.ts';
import type { EntryBody } from '../log/entry.ts';
import { apply, emptyState, type SessionState, scopeKey } from '../log/fold.ts';
import { bodyIn } from '../log/large-body.ts';
import { messageOfBlob } from '../log/large-item.ts';
import { isBroken } from '../log/rewind-point.ts';
import type { InboxItem } from '../log/session-store.ts';
import { messageIdIn } from '../run/session-inbox.ts';
import { isSessionId } from '../store/refusals.ts';
import { checkBody, checkInboxItem } from './check-body.ts';
import { EXPORT_VERSION } from './export-session.ts';
import { aboutOpenCalls } from './imported-calls.ts';

/** Characters of a line: an entry has at most 1 MiB, a piece of a blob half of that. */
const MAX_LINE = 2 * 1024 * 1024;
/** Bytes of JSON of an entry or a waiting message, as stores take them. */
const MAX_ENTRY_BYTES = 1024 * 1024;
/** Characters of all lines: they are held in memory until the last one was checked. */
const MAX_EXPORT = 512 * 1024 * 1024;

/** A whole export, checked. */
export interface ReadExport {
  /** The id of the new session. */
  readonly sessionId: string;
  readonly bodies: readonly EntryBody[];
  readonly blobs: ReadonlyMap<string, Uint8Array>;
  readonly inbox: readonly InboxItem[];
}

/**
 * Reads an export line by line, as the session `sessionId` if given. @throws ValidationError naming the line, SessionError `LOG_TOO_NEW`
 */
export async function readExport(
  lines: AsyncIterable<string> | Iterable<string>,
  sessionId: string | undefined,
): Promise<ReadExport> {
  if (typeof lines === 'string' || typeof lines !== 'object' || lines === null)
    throw new ValidationError('lines must be an iterable of lines, such as exportSession gives', 'lines');
  const reader = new ExportReader(sessionId);
  for await (const line of inSharesAsync(lines)) reader.add(line);
  return reader.done();
}

class ExportReader {
  readonly #asked: string | undefined;
  readonly #hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  readonly #state: SessionState = emptyState();
  readonly #bodies: EntryBody[] = [];
  readonly #blobs = new Map<string, Uint8Array>();
  /** The blob whose pieces are being read. */
  #pieces: { readonly sha256: string; readonly bytes: Uint8Array[] } | undefined;
  readonly #unused = new Set<string>();
  readonly #inbox: InboxItem[] = [];
  /** Messages that are in the log or wait. */
  readonly #messages = new Set<string>();
  #sessionId: string | undefined;
  #isWhole = false;
  #line = 0;
  #size = 0;

  constructor(asked: string | undefined) {
    this.#asked = asked;
  }

  add(text: string): void {
    this.#line += 1;
    if (typeof text !== 'string') throw this.#wrong('is not a text');
    if (text.length > MAX_LINE) throw this.#wrong(`has more than ${MAX_LINE} characters`);
    this.#size += text.length;
    if (this.#size > MAX_EXPORT)
      throw this.#wrong(`is beyond ${MAX_EXPORT} characters, which is the most an import takes`);
    const json = text.replace(/\r?\n$/, '');
    if (json === '') return;
    try {
      this.#take(this.#parsed(json));
    } catch (cause) {
      if (isAgentError(cause) && cause.code === 'LOG_TOO_NEW') throw this.#newer(cause);
      throw this.#wrong(messageOf(cause));
    }
    this.#hash.update(`${json}\n`);
  }

  done(): ReadExport {
    if (this.#sessionId === undefined) throw new ValidationError('The export is empty', 'line 1');
    if (!this.#isWhole) {
      this.#line += 1;
      throw this.#wrong('is missing: the export is cut off');
    }
    const sessionId = this.#asked ?? this.#sessionId;
    const more = aboutOpenCalls(this.#state, { isRenamed: sessionId !== this.#sessionId, sessionId });
    return {
      sessionId,
      bodies: [...this.#bodies, ...more],
      blobs: this.#blobs,
      inbox: this.#inbox.filter(({ answer }) => !answer),
    }; // those count where they were given
  }

  #parsed(json: string): Line {
    let line: unknown;
    try {
      line = JSON.parse(json);
    } catch {
      throw new ValidationError('is not complete JSON: it was cut, or is not from exportSession');
    }
    if (typeof line !== 'object' || line === null || Array.isArray(line))
      throw new ValidationError('is no JSON object');
    return line as Line; // safe: everything is checked before it is used
  }

  #take(line: Line): void {
    if (this.#isWhole) throw new ValidationError('comes after the end');
    if (this.#sessionId === undefined) return this.#begin(line);
    if (this.#pieces && line['type'] !== 'blob') throw new ValidationError('comes in the midst of a blob');
    if (line['type'] === 'blob') this.#takePiece(line);
    else if (line['type'] === 'entry') this.#takeEntry(line);
    else if (line['type'] === 'inbox') this.#takeWaiting(line['item']);
    else if (line['type'] === 'end') this.#end(line);
    else throw new ValidationError(`has the type ${shortText(line['type'])}, which no line of an export has here`);
  }

  #begin({ type, version, sessionId }: Line): void {
    if (type !== 'session_export') throw new ValidationError('is not the beginning of an export');
    if (typeof version !== 'number' || version < 1) throw new ValidationError('names no version');
    if (version !== EXPORT_VERSION) {
      const message = `The export has version ${version}, this version reads ${EXPORT_VERSION}; use a newer one`;
      throw new SessionError(message, { code: 'LOG_TOO_NEW' });
    }
    if (!isSessionId(sessionId)) throw new ValidationError('names no session id');
    this.#sessionId = sessionId as string; // safe: checked above
  }

  #takePiece({ sha256, base64, last }: Line): void {
    if (typeof sha256 !== 'string' || typeof base64 !== 'string' || typeof last !== 'boolean')
      throw new ValidationError('is not a piece of a blob');
    const pieces = (this.#pieces ??= { sha256, bytes: [] });
    if (pieces.sha256 !== sha256 || this.#blobs.has(sha256)) throw new ValidationError('belongs to another blob');
    const bytes = Buffer.from(base64, 'base64');
    if (bytes.toString('base64') !== base64) throw new ValidationError('has damaged base64');
    pieces.bytes.push(bytes);
    if (!last) return;
    this.#pieces = undefined;
    this.#blobs.set(sha256, new Uint8Array(Buffer.concat(pieces.bytes)));
    this.#unused.add(sha256);
  }

  #takeEntry({ seq, at, body }: Line): void {
    const expected = this.#bodies.length + 1;
    if (seq !== expected) throw new ValidationError(`has entry ${shortText(seq)} where entry ${expected} is due`);
    if (typeof at !== 'string') throw new ValidationError('names no time');
    if (this.#inbox.length > 0) throw new ValidationError('has an entry behind messages that wait');
    checkBody(body);
    checkSize(body);
    if ((body.type === 'session_created') !== (expected === 1))
      throw new ValidationError('session_created is the first entry, and no other');
    const full = body.type === 'blob' ? this.#inBlob(body) : body;
    if (this.#cutsOff(full)) throw new ValidationError('comes before all calls of the reply before it are answered');
    apply(this.#state, full);
    const id = full.type === 'record' ? messageIdIn(full.record) : undefined;
    if (id !== undefined) this.#messages.add(id);
    this.#bodies.push(body);
  }

  /** True when the body would leave calls unanswered, which no provider accepts. */
  #cutsOff(body: EntryBody): boolean {
    if (body.type === 'conversation_rewound') return isBroken(this.#state, body);
    if (body.type !== 'record' || !['message', 'compaction'].includes(body.record.type)) return false;
    return body.scope.length === 0 && this.#hasOpenCalls;
  }

  /** Of the session's own agent. */
  get #hasOpenCalls(): boolean {
    return this.#state.scopes.get(scopeKey([]))?.calls !== undefined;
  }

  #inBlob(body: Extract<EntryBody, { type: 'blob' }>): EntryBody {
    const bytes = this.#blobs.get(body.sha256);
    if (!bytes) throw new ValidationError(`names a blob ${body.sha256} that no line before has`);
    this.#unused.delete(body.sha256);
    let full: unknown;
    try {
      full = bodyIn(body, bytes);
    } catch (cause) {
      throw new ValidationError(`names a blob that is damaged: ${messageOf(cause)}`);
    }
    checkBody(full);
    checkDepth(full);
    if (full.type !== body.of || full.type === 'blob' || full.type === 'session_created')
      throw new ValidationError('names a blob of another kind');
    return full;
  }

  #takeWaiting(item: unknown): void {
    checkInboxItem(item);
    checkSize(item);
    const { id } = item.message;
    if (this.#messages.has(id)) throw new ValidationError(`has message ${id} a second time`);
    if (item.blob !== undefined) messageOfBlob(this.#inBlob({ type: 'blob', of: 'record', sha256: item.blob }), item);
    this.#messages.add(id);
    this.#inbox.push(item);
  }

  #end({ entries, inbox, sha256 }: Line): void {
    if (entries !== this.#bodies.length || inbox !== this.#inbox.length || entries === 0)
      throw new ValidationError('does not count what was read: lines are missing');
    if (!this.#state.run && this.#hasOpenCalls) throw new ValidationError('leaves calls that no run will answer');
    if (this.#unused.size > 0) throw new ValidationError('leaves blobs that no entry names');
    if (sha256 !== this.#hash.copy().digest('hex'))
      throw new ValidationError('has another checksum: a line was changed');
    this.#isWhole = true;
  }

  #wrong(what: string): ValidationError {
    const field = `line ${this.#line}`;
    return new ValidationError(`The import was refused: line ${this.#line} ${what}. Nothing was stored.`, field);
  }

  #newer(cause: Error): SessionError {
    return new SessionError(`The import was refused: line ${this.#line}: ${cause.message}`, {
      code: 'LOG_TOO_NEW',
      cause,
    });
  }
}

/** A line whose fields are unchecked. */
type Line = Readonly<Record<string, unknown>>;

/** Levels of lists and objects; the parsers of older versions of Node fail at some thousands. */
const MAX_DEPTH = 1_000;

/** Refuses a value that is too large for a store, while its line is known. */
function checkSize(value: unknown): void {
  checkDepth(value);
  const json = JSON.stringify(value);
  if (json.length * 3 > MAX_ENTRY_BYTES && Buffer.byteLength(json) > MAX_ENTRY_BYTES)
    throw new ValidationError('is over 1 MiB');
}

function checkDepth(value: unknown): void {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw new ValidationError(`is nested deeper than ${MAX_DEPTH} levels`);
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
}

/** A short text for anything. */
function shortText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 50) : typeof value;
}
