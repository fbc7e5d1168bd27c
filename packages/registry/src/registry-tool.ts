import { AbortError, type Schema, type Tool, type ToolContext, type ToolStream } from '@x/core';
import { messageOf } from '@x/core/internal';
import { isObject } from '@x/errors';
import { failureOfTool, type Invoke, invoked, parsedBy } from './invoke.ts';
import { invokedTool, resultOfValue } from './invoked-tool.ts';
import type { ToolRecord } from './tool-info.ts';

/** The registry's methods for a live tool. */
export interface LiveRegistry {
  readonly invoke: Invoke | undefined;
  /** The present tool of that name. @throws ToolNotFoundError, ToolDisabledError */
  ready(name: string, input: unknown): ToolRecord;
}

/**
 * A registered tool for a session. It is live: each call uses the tool then registered under its name, and fails with the errors of
 * `execute`, in their order.
 */
export function registryTool(record: ToolRecord, registry: LiveRegistry): Tool {
  const { name, description } = record.metadata;
  const { tool } = record;
  const inputSchema = liveSchema(record, registry);
  return {
    ...tool, // also the marks of its maker
    name,
    description,
    inputSchema,
    kind: tool?.kind ?? 'execute',
    effect: tool?.effect ?? 'non_idempotent',
    parallelSafe: tool?.parallelSafe ?? false,
    streaming: tool?.streaming ?? false,
    ...(tool?.subject ? { subject: (input) => tool.subject?.(input) } : {}),
    execute: (input, context) => run(inputSchema, input, context, registry.invoke),
  };
}

/** A call of the present tool. */
interface Settled {
  readonly record: ToolRecord;
  readonly input: Record<string, unknown>;
}
interface LiveSchema extends Schema {
  /** Returns an input unchanged if this schema has parsed it for the same tool, and parses it otherwise. */
  settle(input: unknown): Settled;
}

function liveSchema({ metadata: { name }, input: { json } }: ToolRecord, registry: LiveRegistry): LiveSchema {
  const parsedFor = new WeakMap<object, ToolRecord>();
  /** The tool whose parser has returned something other than an object. */
  let bareFor: ToolRecord | undefined;
  const parsed = (value: unknown, record: ToolRecord): Record<string, unknown> => {
    const input = parsedBy(record, value);
    if (isObject(input)) parsedFor.set(input, record);
    else bareFor = record;
    return input;
  };
  return {
    json,
    parse: (value) => parsed(value, registry.ready(name, value)),
    settle(given) {
      const record = registry.ready(name, given);
      const isParsed = (isObject(given) ? parsedFor.get(given) : bareFor) === record;
      return { record, input: isParsed ? (given as Record<string, unknown>) : parsed(given, record) }; // what its own parser made
    },
  };
}

async function* run(schema: LiveSchema, given: unknown, context: ToolContext, invoke: Invoke | undefined): ToolStream {
  const { signal, idempotencyKey } = context;
  const { record, input } = schema.settle(given);
  if (signal.aborted) throw new AbortError();
  const { tool, implementation } = record;
  try {
    if (tool && invoke) return yield* invokedTool({ record, tool, input, context, invoke });
    if (tool) return yield* tool.execute(input, context);
    return resultOfValue(await invoked(record, implementation, input, { signal, idempotencyKey }, invoke));
  } catch (error) {
    throw failureOfTool({ toolName: record.metadata.name, input }, error, signal, `: ${messageOf(error)}`);
  }
}
