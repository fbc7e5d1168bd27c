import { AgentError, type AgentHandler, type ModelStream, type ToolResult, type ToolStream } from '@x/core';
import { faultOfMedia } from '@x/core/internal';

/** A wrap of a handler, with its method name. */
interface NamedWrap {
  readonly handler: AgentHandler;
  readonly method: string;
}

/** V8's message for a write into a frozen object. */
const FROZEN = /^Cannot (assign to read only|add|delete|redefine) property/;

/** The error of a handler whose method breaks its contract. */
export function broken(method: string, { name }: AgentHandler, duty: string, cause?: unknown): AgentError {
  return new AgentError(`${method} of handler ${name} must ${duty}`, { code: 'HANDLER_ERROR', cause });
}

/** The error that a handler has thrown; for a write into a message, one that names the handler. */
export function thrownBy(handler: AgentHandler, method: string, error: unknown): unknown {
  if (!(error instanceof TypeError) || !FROZEN.test(error.message)) return error;
  return broken(method, handler, `return changed copies, since messages are frozen: ${error.message}`, error);
}

/** Checks that a wrap has returned a generator. The rejection of a promise is then ignored. */
export function generatorOf<S extends ModelStream | ToolStream>(
  stream: S,
  { handler, method }: NamedWrap,
  given: 'request' | 'call',
): S {
  if (typeof stream?.next === 'function' && typeof stream[Symbol.asyncIterator] === 'function') return stream;
  Promise.resolve(stream).catch(() => undefined);
  throw broken(method, handler, `be a generator: async *${method}, with return yield* next(${given})`);
}

/** Checks that a wrap has returned a tool result: a forgotten `return` must not pass for a tool without output. */
export function checkResult(result: ToolResult | undefined, { handler, method }: NamedWrap): void {
  if (typeof result?.output === 'string' && typeof result.isError === 'boolean') {
    const fault = faultOfMedia(result);
    if (fault) throw broken(method, handler, `return what a model can be given: ${fault.text}`);
    return;
  }
  const way = method === 'wrapInvokableToolCall' ? 'return next(call)' : 'return yield* next(call)';
  throw broken(method, handler, `return a tool result with output and isError: ${way}`);
}
