import { checkOptions } from '@x/errors/option-rules';
import { ChangeNotices, LIST_CHANGED } from './change-notices.ts';
import { EventStream } from './event-stream.ts';
import { type ClientMessage, CODES, errorOf, internalError, RpcError, readMessage, textOfReply } from './json-rpc.ts';
import { McpPeer, VERSIONS } from './peer.ts';
import { checkSource, factsOf, SERVE_TOOLS, type ServerFacts, type ServeToolsOptions } from './server-options.ts';
import { type McpSession, SessionTable } from './session-table.ts';
import type { McpCallTool, McpToolSource } from './tool-source.ts';

/** A request that has passed the guards of whoever has received it. */
export interface McpHttpRequest {
  readonly method: string;
  /** The value of a header, its name in lower case. */
  readonly header: (name: string) => string | null | undefined;
  /** The body of a POST, parsed: its bytes, levels and keys are bounded by who has read it. */
  readonly body?: unknown;
  /** The name of the client: a conversation is known to its owner alone. Default: everybody is the same. */
  readonly owner?: string | undefined;
  /** Runs the calls of this request in place of the source. */
  readonly call?: McpCallTool | undefined;
  /** Aborted when the client goes away: its call ends. */
  readonly signal?: AbortSignal | undefined;
}

/** An answer for any server of HTTP. */
export interface McpHttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A text, or an event stream, which ends by `cancel` when the client goes away. */
  readonly body: string | ReadableStream<Uint8Array> | null;
}

/** Tools over streamable HTTP, for one path of a server. */
export interface McpEndpoint {
  /** Never rejects: what is wrong with a request is in its answer. */
  answer(request: McpHttpRequest): Promise<McpHttpAnswer>;
  /** Ends all conversations, their calls and event streams; later requests are answered with 503. */
  close(): void;
}

/**
 * Serves tools by the Model Context Protocol, streamable HTTP (2025-11-25 and before). It has no guards of its own: `Host`, `Origin`, tokens
 * and sizes are judged before, as `@x/http` does.
 * @throws ValidationError for invalid options, and for a source that is none
 */
export function serveTools(source: McpToolSource, options: ServeToolsOptions = {}): McpEndpoint {
  checkSource(source);
  checkOptions('serveTools options', options, SERVE_TOOLS);
  return new Endpoint(source, options);
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const EVENTS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

class Endpoint implements McpEndpoint {
  readonly #source: McpToolSource;
  readonly #facts: ServerFacts;
  readonly #sessions: SessionTable;
  readonly #notices: ChangeNotices;
  #isClosed = false;

  constructor(source: McpToolSource, options: ServeToolsOptions) {
    const { maxSessions = 1_000, sessionIdleMs = 30 * 60_000 } = options;
    this.#source = source;
    this.#facts = factsOf(options);
    this.#sessions = new SessionTable({ maxSessions, sessionIdleMs });
    this.#notices = new ChangeNotices(source, () => {
      for (const session of this.#sessions.all()) {
        if (session.stream) session.stream.sendOnce(LIST_CHANGED);
        else session.isBehind = true;
      }
      if (this.#sessions.size === 0) this.#notices.stop();
    });
  }

  async answer(request: McpHttpRequest): Promise<McpHttpAnswer> {
    try {
      if (this.#isClosed) return failed(503, new RpcError(CODES.refused, 'The server is closed'));
      if (request.method === 'POST') return await this.#post(request);
      if (request.method === 'GET') return this.#listen(request);
      if (request.method === 'DELETE') return this.#leave(request);
      return { ...failed(405, new RpcError(CODES.refused, 'Method not allowed')), headers: NOT_ALLOWED };
    } catch (error) {
      return refusal(error);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#sessions.endAll();
    this.#notices.stop();
  }

  async #post(request: McpHttpRequest): Promise<McpHttpAnswer> {
    if (!accepts(request, 'application/json') || !accepts(request, 'text/event-stream')) {
      throw new Refusal(406, CODES.refused, 'Accept must list application/json and text/event-stream');
    }
    const message = readMessage(request.body);
    if (message.kind === 'request' && message.method === 'initialize') return await this.#begin(message, request);
    const session = this.#sessionOf(request);
    const headers = { ...JSON_TYPE, 'Mcp-Session-Id': session.id };
    if (message.kind !== 'request') {
      await session.peer.receive(message);
      return { status: 202, headers: {}, body: null };
    }
    if (session.peer.follows(message)) return this.#streamed(message, request, session);
    const reply = await session.peer.receive(message, { call: request.call, signal: request.signal });
    if (reply) return { status: 200, headers, body: textOfReply(reply) };
    return { status: 200, headers: { ...headers, ...EVENTS }, body: '' }; // cancelled: the protocol wants no answer
  }

  async #begin(message: ClientMessage, { header, owner = '' }: McpHttpRequest): Promise<McpHttpAnswer> {
    if (header('mcp-session-id')) throw new RpcError(CODES.invalidRequest, 'This conversation has begun already');
    const peer = new McpPeer(this.#source, this.#facts);
    const reply = (await peer.receive(message))!; // a request that is no call has an answer
    if (reply.error) return { status: 400, headers: JSON_TYPE, body: textOfReply(reply) };
    this.#notices.start();
    const { id } = this.#sessions.open(owner, peer);
    return { status: 200, headers: { ...JSON_TYPE, 'Mcp-Session-Id': id }, body: textOfReply(reply) };
  }

  /** Answers with an event stream: what the tool says of its progress, then the result. */
  #streamed(message: ClientMessage, { call, signal }: McpHttpRequest, session: McpSession): McpHttpAnswer {
    const leaving = new AbortController();
    const stream = new EventStream(() => leaving.abort());
    const forward = () => leaving.abort();
    if (signal?.aborted) forward();
    signal?.addEventListener('abort', forward, { once: true });
    const reach = { call, signal: leaving.signal, notify: (notice: string) => stream.send(notice) };
    void session.peer.receive(message, reach).then((reply) => {
      signal?.removeEventListener('abort', forward);
      stream.end(reply && textOfReply(reply));
    });
    return { status: 200, headers: { ...EVENTS, 'Mcp-Session-Id': session.id }, body: stream.body };
  }

  /** Opens the stream of notices; one that was open before ends, for its client may have lost it. */
  #listen(request: McpHttpRequest): McpHttpAnswer {
    if (!accepts(request, 'text/event-stream')) {
      throw new Refusal(406, CODES.refused, 'Accept must list text/event-stream');
    }
    const session = this.#sessionOf(request);
    session.stream?.end();
    const stream: EventStream = new EventStream(() => {
      if (session.stream === stream) session.stream = undefined;
    });
    session.stream = stream;
    if (session.isBehind) stream.send(LIST_CHANGED);
    session.isBehind = false;
    return { status: 200, headers: { ...EVENTS, 'Mcp-Session-Id': session.id }, body: stream.body };
  }

  #leave(request: McpHttpRequest): McpHttpAnswer {
    this.#sessions.end(this.#sessionOf(request));
    return { status: 200, headers: {}, body: null };
  }

  #sessionOf({ header, owner = '' }: McpHttpRequest): McpSession {
    const id = header('mcp-session-id');
    if (!id) throw new Refusal(400, CODES.refused, 'The header Mcp-Session-Id is required; initialize gives it');
    const session = this.#sessions.find(id, owner);
    if (!session) throw new Refusal(404, CODES.noSession, 'Session not found; begin again with initialize');
    const version = header('mcp-protocol-version');
    if (version && !VERSIONS.includes(version)) {
      throw new Refusal(400, CODES.refused, `MCP-Protocol-Version must be one of ${VERSIONS.join(', ')}`);
    }
    return session;
  }
}

const NOT_ALLOWED = { ...JSON_TYPE, Allow: 'GET, POST, DELETE' };

/** A fault of the request around the message. */
class Refusal extends RpcError {
  readonly status: number;

  constructor(status: number, code: number, message: string) {
    super(code, message);
    this.status = status;
  }
}

function accepts({ header }: McpHttpRequest, type: string): boolean {
  const accept = header('accept') ?? '';
  return accept.includes(type) || accept.includes('*/*');
}

function refusal(error: unknown): McpHttpAnswer {
  if (error instanceof Refusal) return failed(error.status, error);
  if (!(error instanceof RpcError)) return failed(500, internalError());
  return failed(error.data?.statusCode ?? 400, error);
}

function failed(status: number, error: RpcError): McpHttpAnswer {
  return { status, headers: JSON_TYPE, body: JSON.stringify(errorOf(null, error)) };
}
