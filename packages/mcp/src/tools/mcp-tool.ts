import { AbortError, type Tool, type ToolContext, type ToolResult, type ToolStream } from '@x/core';
import { messageOf } from '@x/core/internal';
import { isRecord } from '@x/errors';
import type { ReadTool } from '../definitions/read-definitions.ts';
import type { McpProgress } from '../port/connection.ts';
import { ProgressLines } from './progress-lines.ts';
import { resultOfCall } from './result-of-call.ts';

/** One call of a server's tool. */
export interface ServerCall {
  readonly tool: ReadTool;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: McpProgress) => void;
  /** Called when the request is about to be sent: from then on its effect is not known until there is a result. */
  readonly onSent: () => void;
}

/** Sends a call to the server; the context is that of the call. */
export type CallServer = (call: ServerCall, context: ToolContext) => Promise<Readonly<Record<string, unknown>>>;

/** Makes a tool of a server one of the agent. Annotations count when the server is trusted. */
export function mcpTool(tool: ReadTool, isTrusted: boolean, call: CallServer): Tool {
  const isReadonly = isTrusted && tool.annotations.readOnlyHint === true;
  const isIdempotent = isTrusted && tool.annotations.idempotentHint === true;
  const kind = isReadonly ? 'readonly' : 'execute';
  const effect = isReadonly ? 'pure' : isIdempotent ? 'idempotent' : 'non_idempotent';
  return {
    name: tool.toolName,
    description: tool.description,
    inputSchema: tool.schema,
    kind,
    effect,
    parallelSafe: isReadonly,
    streaming: true,
    execute: (input, context) => execute(input, context),
  };

  async function* execute(input: unknown, context: ToolContext): ToolStream {
    const { callId, signal } = context;
    const lines = new ProgressLines();
    const end = new AbortController(); // a reader who leaves ends the call too
    let isSent = false;
    const one: ServerCall = {
      tool,
      input: isRecord(input) ? input : {},
      signal: AbortSignal.any([signal, end.signal]),
      onProgress: lines.push,
      onSent: () => {
        isSent = true;
      },
    };
    const work = call(one, context);
    work.catch(() => undefined); // read below, unless the reader leaves
    try {
      for await (const delta of lines.until(work)) yield { type: 'tool_progress', id: callId, delta };
      return resultOfCall(await work);
    } catch (error) {
      if (signal.aborted) throw new AbortError();
      return failed(error, isSent && effect === 'non_idempotent');
    } finally {
      end.abort();
    }
  }
}

/** Also for the model: a server that was lost in a call may have done what it was asked. */
function failed(error: unknown, isUnknown: boolean): ToolResult {
  const output = messageOf(error);
  const { errorType } = error as { readonly errorType?: unknown }; // read as an unknown value
  if (!isUnknown || !String(errorType).startsWith('NETWORK')) return { output, isError: true };
  return {
    output: `${output}. The effect of this call is not known: check what has happened before calling it again.`,
    isError: true,
    interrupted: 'unknown',
  };
}
