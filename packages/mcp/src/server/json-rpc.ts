import { isRecord } from '@x/errors';

/** JSON-RPC 2.0, 5.1; the last three are those of the protocol and of its own servers. */
export const CODES = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  refused: -32_000,
  noSession: -32_001,
  noResource: -32_002,
} as const;

/** The code and the status of HTTP of an error, for programs: next to the number that JSON-RPC has for it. */
export interface RpcFacts {
  readonly code: string;
  readonly statusCode: number;
}

/** The error of a request, as the client gets it. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: RpcFacts | undefined;

  constructor(code: number, message: string, data?: RpcFacts) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

export type RequestId = string | number;
export type Params = Readonly<Record<string, unknown>>;

/** A message of a client. A response answers nothing that a server of tools asks. */
export type ClientMessage =
  | { readonly kind: 'request'; readonly id: RequestId; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  | { readonly kind: 'response' };

export interface Reply {
  readonly jsonrpc: '2.0';
  readonly id: RequestId | null;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object };
}

/** Reads a value as one message. @throws RpcError for a batch, and for what is no message */
export function readMessage(value: unknown): ClientMessage {
  if (Array.isArray(value)) throw new RpcError(CODES.invalidRequest, 'Send one message at a time: batches are refused');
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') throw notOne('jsonrpc must be "2.0"');
  const { id, method, params = {} } = value;
  const hasId = Object.hasOwn(value, 'id');
  if (hasId && !isRequestId(id)) throw notOne('id must be a text or a whole number');
  if (!Object.hasOwn(value, 'method')) {
    if (hasId && (isRecord(value['result']) || isRecord(value['error']))) return { kind: 'response' };
    throw notOne('a request needs a method');
  }
  if (typeof method !== 'string') throw notOne('method must be a text');
  if (!isRecord(params)) throw notOne('params must be an object');
  return isRequestId(id) ? { kind: 'request', id, method, params } : { kind: 'notification', method, params };
}

export function resultOf(id: RequestId, result: object): Reply {
  return { jsonrpc: '2.0', id, result };
}

export function errorOf(id: RequestId | null, { code, message, data }: RpcError): Reply {
  return { jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } };
}

export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function notOne(reason: string): RpcError {
  return new RpcError(CODES.invalidRequest, `This is no JSON-RPC message: ${reason}`);
}

/** A reply as JSON; a result that JSON cannot hold is an error. */
export function textOfReply(reply: Reply): string {
  try {
    return JSON.stringify(reply);
  } catch {
    return JSON.stringify(errorOf(reply.id, internalError()));
  }
}

/** The error of which nobody learns more. */
export function internalError(): RpcError {
  return new RpcError(CODES.internalError, 'Internal server error', { code: 'INTERNAL_ERROR', statusCode: 500 });
}
