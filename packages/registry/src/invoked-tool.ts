import type { AgentEvent, Tool, ToolContext, ToolResult, ToolStream } from '@x/core';
import { jsonText, toResult, valueOfResult } from '@x/core/internal';
import { type Relay, relayed } from '@x/core/streams';
import { type Invoke, invoked } from './invoke.ts';
import type { ToolImplementation } from './metadata.ts';
import type { ToolRecord } from './tool-info.ts';

/** A call of a finished tool through the host's `invoke`, which gets values and errors, while the reader gets the complete result. */
export interface InvokedCall {
  readonly record: ToolRecord;
  readonly tool: Tool;
  readonly input: Record<string, unknown>;
  readonly context: ToolContext;
  readonly invoke: Invoke;
}

export function invokedTool({ record, tool, input, context, invoke }: InvokedCall): ToolStream {
  const run = async (relay: Relay<AgentEvent>): Promise<ToolResult> => {
    const attempts = new Map<unknown, ToolResult>();
    const implementation: ToolImplementation = async (parameters, attempt = {}) => {
      const result = await relay(tool.execute(parameters, { ...context, ...attempt }));
      try {
        const value = valueOfResult(tool.name, parameters, result);
        attempts.set(value, result);
        return value;
      } catch (error) {
        attempts.set(error, result);
        throw error;
      }
    };
    const { signal, idempotencyKey } = context;
    try {
      const value = await invoked(record, implementation, input, { signal, idempotencyKey }, invoke);
      return attempts.get(value) ?? resultOfValue(value);
    } catch (error) {
      const result = attempts.get(error);
      if (result?.isError) return result;
      throw error;
    }
  };
  return relayed(run, { waitsForRun: true });
}

/** Makes the result for the model from the value of an implementation, whatever shape it has. */
export function resultOfValue(value: unknown): ToolResult {
  const result = toResult(value);
  return result === value ? { output: jsonText(value)!, isError: false, data: value } : result; // it is an object
}
