import { AgentError, type AgentHandler, type ModelStream, type ToolResult, type ToolStream } from '@x/core';

/** A wrap of a handler, named as the handler calls it. */
interface NamedWrap {
  readonly handler: AgentHandler;
  readonly method: string;
}

/** What V8 says of a write into something frozen. */
const FROZEN = /^Cannot (assign to read only|add|delete|redefine) property/;

/** The error of a handler that does not do what its method must. */
export function broken(method: string, { name }: AgentHandler, duty: string, cause?: unknown): AgentError {
  return new AgentError(`${method} of handler ${name} must ${duty}`, { code: 'HANDLER_ERROR', cause });
}

/** What a handler has thrown; for a write into a message an error that names the handler. */
export function thrownBy(handler: AgentHandler, method: string, error: unknown): unknown {
  if (!(error instanceof TypeError) || !FROZEN.test(error.message)) return error;
  return broken(method, handler, `return changed copies, since messages are frozen: ${error.message}`, error);
}

/** What a wrap has made, if it can be read. A promise's own failure is of no interest then. */
export function generatorOf<S extends ModelStream | ToolStream>(
  stream: S,
  { handler, method }: NamedWrap,
  given: 'request' | 'call',
): S {
  if (typeof stream?.next === 'function' && typeof stream[Symbol.asyncIterator] === 'function') return stream;
  Promise.resolve(stream).catch(() => undefined);
  throw broken(method, handler, `be a generator: async *${method}, with return yield* next(${given})`);
}

/** A wrap that forgets its `return` must not pass for a tool that said nothing. */
export function checkResult(result: ToolResult | undefined, { handler, method }: NamedWrap): void {
  if (typeof result?.output === 'string' && typeof result.isError === 'boolean') return;
  const way = method === 'wrapInvokableToolCall' ? 'return next(call)' : 'return yield* next(call)';
  throw broken(method, handler, `return a tool result with output and isError: ${way}`);
}
