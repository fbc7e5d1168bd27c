import { onAbort, unlessAborted } from '@x/core/internal';
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
import { pageOf } from './page.ts';
import { getPrompt, toldPrompts } from './served-prompts.ts';
import { readResource, toldResources } from './served-resources.ts';
import type { ServerFacts } from './server-options.ts';
import type { McpCallTool, McpServedCall, McpServedResult, McpToolSource } from './tool-source.ts';

/** Versions of the protocol, the newest first. */
export const VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
/** Calls of one client at the same time. */
const MOST_CALLS = 64;
/** Characters of one text of progress. */
const MOST_PROGRESS = 1_000;
/** Levels of a log (RFC 5424), the most talkative first, and those that hear the progress of a call, which is `info`. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const HEARING = LEVELS.slice(0, 2);

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
  #hearsLog = false;

  constructor(source: McpToolSource, facts: ServerFacts) {
    this.#source = source;
    this.#facts = facts;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** True when the client hears of a call before its answer: as progress, or as a log once it has set a level. */
  follows({ method, params }: ClientMessage & { readonly kind: 'request' }): boolean {
    return method === 'tools/call' && (this.#hearsLog || tokenIn(params) !== undefined);
  }

  /** The answer; undefined where there is none: for a notification, a response, and a call that was cancelled. */
  async receive(message: ClientMessage, reach: Reach = {}): Promise<Reply | undefined> {
    if (message.kind === 'notification' && message.method === 'notifications/cancelled') this.#cancel(message.params);
    if (message.kind !== 'request') return undefined;
    const { id, method, params } = message;
    try {
      const work = this.#workOf(method, params, reach);
      return work ? await this.#run(id, work, reach) : resultOf(id, this.#answer(method, params));
    } catch (error) {
      return errorOf(id, rpcErrorOf(error));
    }
  }

  /** Aborts all that runs. */
  end(): void {
    for (const ending of this.#running.values()) ending.abort();
  }

  /** The work of a request that runs code of the host, and can be cancelled; undefined for any other request. */
  #workOf(method: string, params: Params, reach: Reach): Work | undefined {
    const { resources, prompts } = this.#facts;
    if (method === 'tools/call') {
      const call = callIn(params);
      return (signal) => this.#called(call, signal, { ...reach, token: tokenIn(params) });
    }
    if (resources && method === 'resources/read') {
      return (signal) => this.#ofHost(() => readResource(resources, params, { signal }), signal, { method, params });
    }
    if (prompts && method === 'prompts/get') {
      return (signal) => this.#ofHost(() => getPrompt(prompts, params, { signal }), signal, { method, params });
    }
    return undefined;
  }

  /** Ends with the signal, whatever the host's function does; words of its own faults stay here. */
  async #ofHost(
    begin: () => Promise<object>,
    signal: AbortSignal,
    { method, params }: { readonly method: string; readonly params: Params },
  ): Promise<object> {
    try {
      return await unlessAborted(begin, signal);
    } catch (error) {
      if (error instanceof RpcError || signal.aborted) throw error;
      try {
        this.#facts.onError?.(error, { method, name: String(params['uri'] ?? params['name']) });
      } catch {
        // the client is to have its answer
      }
      throw isAgentError(error) && error.statusCode < 500 ? error : internalError();
    }
  }

  #answer(method: string, params: Params): object {
    const { resources, prompts, pageSize } = this.#facts;
    const page = (name: string, items: readonly object[]) => pageOf(name, items, params['cursor'], pageSize);
    if (method === 'initialize') return this.#begin(params);
    if (method === 'ping') return {};
    if (method === 'logging/setLevel') return this.#setLevel(params['level']);
    if (method === 'tools/list') return page('tools', this.#source.mcpTools());
    if (resources && method === 'resources/list') return page('resources', toldResources(resources));
    if (resources && method === 'resources/templates/list') return { resourceTemplates: [] };
    if (prompts && method === 'prompts/list') return page('prompts', toldPrompts(prompts));
    throw new RpcError(CODES.methodNotFound, 'Method not found');
  }

  #setLevel(level: unknown): object {
    if (!LEVELS.includes(level as string)) {
      throw new RpcError(CODES.invalidParams, `level must be one of ${LEVELS.join(', ')}`);
    }
    this.#hearsLog = HEARING.includes(level as string);
    return {};
  }

  #begin({ protocolVersion, clientInfo, capabilities }: Params): object {
    const isComplete = typeof protocolVersion === 'string' && isRecord(clientInfo) && isRecord(capabilities);
    if (!isComplete) {
      throw new RpcError(CODES.invalidParams, 'initialize needs protocolVersion, capabilities and clientInfo');
    }
    const { name, version, instructions, resources, prompts } = this.#facts;
    return {
      protocolVersion: VERSIONS.includes(protocolVersion) ? protocolVersion : VERSIONS[0],
      capabilities: {
        tools: { listChanged: true },
        logging: {},
        ...(resources ? { resources: {} } : {}),
        ...(prompts ? { prompts: {} } : {}),
      },
      serverInfo: { name, version },
      ...(instructions === undefined ? {} : { instructions }),
    };
  }

  async #run(id: RequestId, work: Work, reach: Reach): Promise<Reply | undefined> {
    if (this.#running.has(id)) throw new RpcError(CODES.invalidRequest, 'A call with this id is still running');
    if (this.#running.size >= MOST_CALLS) throw tooManyCalls();
    if (reach.signal?.aborted) return undefined;
    const ending = new AbortController();
    const forget = reach.signal && onAbort(reach.signal, () => ending.abort());
    this.#running.set(id, ending);
    try {
      const result = await work(ending.signal);
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
      const message = String(text).slice(0, MOST_PROGRESS);
      notify?.(token === undefined ? logNotice(call.name, message) : progressNotice({ token, progress, message }));
    };
    const context = { signal, ...(notify && (this.#hearsLog || token !== undefined) ? { onProgress } : {}) };
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

/** Gives the result of a request. */
type Work = (signal: AbortSignal) => Promise<object>;

function progressNotice(facts: {
  readonly token: RequestId;
  readonly progress: number;
  readonly message: string;
}): string {
  const { token: progressToken, progress, message } = facts;
  const params = { progressToken, progress, message };
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params });
}

function logNotice(logger: string, data: string): string {
  return JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', logger, data } });
}

/** The token under which a request wants to hear of its progress. */
function tokenIn({ _meta }: Params): RequestId | undefined {
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
