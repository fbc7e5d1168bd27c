import { ToolExecutionError } from '@x/core';
import type { ExecutionOptions } from '@x/executor';
import type { ExecuteOptions } from '@x/registry';
import type { Settings } from '../settings/http-options.ts';
import type { ToolCallRequest } from './messages.ts';

/** Runs the tool through the executor; one whose effect is unknown is repeated only because the caller says so. */
export function runTool(
  { registry, executor }: Pick<Settings, 'registry' | 'executor'>,
  { name, parameters = {}, options = {} }: ToolCallRequest,
  following: Pick<ExecuteOptions, 'signal' | 'onProgress'>,
): Promise<unknown> {
  const { timeout, retry, retryDelay } = options;
  const limits: ExecutionOptions = {
    ...(timeout === undefined ? {} : { timeout }),
    ...(retry === undefined ? {} : { retry }),
    ...(retryDelay === undefined ? {} : { retryDelay }),
  };
  return registry.execute(name, parameters, {
    ...following,
    invoke: (implementation, input, invocation) =>
      executor.execute(implementation, input, { ...limits, ...invocation }),
  });
}

/** Writes the result of a tool. @throws ToolExecutionError for a result that JSON cannot hold */
export function writable<T>(toolName: string, write: () => T): T {
  try {
    return write();
  } catch (error) {
    const text = `The result of ${toolName} cannot be written as JSON`;
    throw new ToolExecutionError(text, error, { toolName, input: undefined });
  }
}
