import { onAbort } from '@x/core/internal';
import { isAgentError, isRecord } from '@x/errors';
import {
  type ClientMessage,
  CODES,
  errorOf,
  internalError,
  isRequestId,
  type Params,
  type Reply,
  type RequestId,
  RpcError,
  resultOf,
} from './json-rpc.ts';
import type { ServerFacts } from './server-options.ts';
import type { McpCallTool, McpServedCall, McpServedResult, McpToolSource } from './tool-source.ts';
import { toolsPage } from './tools-page.ts';

/** Versions of the protocol, the newest first. */
export const VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** Calls of one client at the same time. */
const MOST_CALLS = 64;
/** Characters of one text of progress. */
const MOST_PROGRESS = 1_000;

/** The way in which one message has come. */
export interface Reach {
  /** Runs a call, in place of the source. */
  readonly call?: McpCallTool | undefined;
  /** Takes notifications about the request, before its answer. */
  readonly notify?: ((notification: string) => void) | undefined;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** The conversation with one client: what it may ask, and what it has running. */
export class McpPeer {
  readonly #source: McpToolSource;
  readonly #facts: ServerFacts;
  readonly #running = new Map<RequestId, AbortController>();

  constructor(source: McpToolSource, facts: ServerFacts) {
    this.#source = source;
    this.#facts = facts;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** The answer; undefined where there is none: for a notification, a response, and a call that was cancelled. */
  async receive(message: ClientMessage, reach: Reach = {}): Promise<Reply | undefined> {
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') this.#cancel(message.params);
    if (message.kind !== 'request') return undefined;
    const { id, method, params } = message;
    try {
      if (method === 'tools/call') return await this.#run(id, params, reach);
      return resultOf(id, this.#answer(method, params));
    } catch (error) {
      return errorOf(id, rpcErrorOf(error));
    }
  }

  /** Aborts all that runs. */
  end(): void {
    for (const ending of this.#running.values()) ending.abort();
  }

  #answer(method: string, params: Params): object {
    if (method === 'initialize') return this.#begin(params);
    if (method === 'ping') return {};
    if (method === 'tools/list') return toolsPage(this.#source.mcpTools(), params['cursor'], this.#facts.pageSize);
    throw new RpcError(CODES.methodNotFound, 'Method not found');
  }

  #begin({ protocolVersion, clientInfo, capabilities }: Params): object {
    const isComplete = typeof protocolVersion === 'string' && isRecord(clientInfo) && isRecord(capabilities);
    if (!isComplete) {
      throw new RpcError(CODES.invalidParams, 'initialize needs protocolVersion, capabilities and clientInfo');
    }
    const { name, version, instructions } = this.#facts;
    return {
      protocolVersion: VERSIONS.includes(protocolVersion) ? protocolVersion : VERSIONS[0],
      capabilities: { tools: { listChanged: true } },
      serverInfo: { name, version },
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  async #run(id: RequestId, params: Params, reach: Reach): Promise<Reply | undefined> {
    const call = callIn(params);
    if (this.#running.has(id)) throw new RpcError(CODES.invalidRequest, 'A call with this id is still running');
    if (this.#running.size >= MOST_CALLS) throw tooManyCalls();
    if (reach.signal?.aborted) return undefined;
    const ending = new AbortController();
    const forget = reach.signal && onAbort(reach.signal, () => ending.abort());
    this.#running.set(id, ending);
    try {
      const result = await this.#called(call, ending.signal, { ...reach, token: tokenIn(params) });
      return ending.signal.aborted ? undefined : resultOf(id, result);
    } catch (error) {
      if (ending.signal.aborted) return undefined;
      throw error;
    } finally {
      forget?.();
      this.#running.delete(id);
    }
  }

  async #called(
    call: McpServedCall,
    signal: AbortSignal,
    { call: run, notify, token }: Reach & { readonly token: RequestId | undefined },
  ): Promise<McpServedResult> {
    let progress = 0;
    let isOver = false;
    const onProgress = (text: string): void => {
      if (isOver || signal.aborted) return; // no client expects news of a call that has its answer
      progress += 1;
      const params = { progressToken: token, progress, message: String(text).slice(0, MOST_PROGRESS) };
      notify?.(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
    };
    const context = { signal, ...(token === undefined || !notify ? {} : { onProgress }) };
    try {
      return await (run ? run(call, context) : this.#source.callMcpTool(call, context));
    } finally {
      isOver = true;
    }
  }

  #cancel({ requestId }: Params): void {
    if (isRequestId(requestId)) this.#running.get(requestId)?.abort();
  }
}

/** The token under which a request wants to hear of its progress. */
export function tokenIn({ _meta }: Params): RequestId | undefined {
  const token = isRecord(_meta) ? _meta['progressToken'] : undefined;
  return isRequestId(token) ? token : undefined;
}

function callIn({ name, arguments: input }: Params): McpServedCall {
  if (typeof name !== 'string') throw new RpcError(CODES.invalidParams, 'tools/call needs the name of a tool');
  if (input === undefined) return { name };
  if (!isRecord(input)) throw new RpcError(CODES.invalidParams, 'arguments must be an object');
  return { name, arguments: input };
}

function tooManyCalls(): RpcError {
  const facts = { code: 'RATE_LIMIT_EXCEEDED', statusCode: 429 };
  return new RpcError(CODES.refused, `More than ${MOST_CALLS} calls at the same time`, facts);
}

/** Words of an error that is nobody's concern stay here. */
function rpcErrorOf(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (!isAgentError(error)) return internalError();
  const { code, statusCode, message } = error;
  const isUnknownTool = code === 'TOOL_NOT_FOUND';
  return new RpcError(isUnknownTool ? CODES.invalidParams : CODES.internalError, message, { code, statusCode });
}
