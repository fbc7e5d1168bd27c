import { defineTool, type Tool, type ToolEffect, ToolExecutionError, type ToolKind, ValidationError } from '@x/core';
import { frozenCopy } from './frozen-copy.ts';
import type { ToolImplementation, ToolMetadata } from './metadata.ts';
import { parametersSchema } from './parameters.ts';
import { parametersOf } from './parameters-of.ts';
import { refuseUnknown } from './refuse-unknown.ts';
import { standaloneContext } from './standalone-context.ts';
import { checkMetadata } from './validate-metadata.ts';

/** What metadata does not say about a tool; the defaults are those of `defineTool`. */
export interface MetadataToolOptions {
  readonly kind?: ToolKind;
  readonly effect?: ToolEffect;
  readonly parallelSafe?: boolean;
}

/** Metadata and an implementation as a `Tool`. @throws ValidationError naming the field that does not fit */
export function metadataTool(
  metadata: ToolMetadata,
  implementation: ToolImplementation,
  options: MetadataToolOptions = {},
): Tool<Record<string, unknown>> {
  refuseUnknown('metadataTool options', options, ['kind', 'effect', 'parallelSafe']);
  if (typeof implementation !== 'function') {
    throw new ValidationError('The implementation must be a function', 'implementation');
  }
  checkMetadata(metadata);
  const { name, description, parameters } = frozenCopy(metadata, 'Tool metadata');
  return defineTool({
    name,
    description,
    inputSchema: parametersSchema(parameters),
    ...options,
    execute: async (input, { signal }) => implementation(input, { signal }),
  });
}

/** What a tool says about itself. Its own schema may say more than parameters can, and decides. */
export function toMetadata({ name, description, inputSchema }: Tool): ToolMetadata {
  return { name, description, parameters: parametersOf(inputSchema.json) };
}

/** A tool as an implementation, for input that its schema has parsed: runs it outside a session, throws its error results. */
export function implementationOf(tool: Tool): ToolImplementation {
  return async (input, context) => {
    const call = { toolName: tool.name, input };
    const stream = tool.execute(input, standaloneContext(tool.name, context?.signal));
    for (;;) {
      const step = await stream.next();
      if (!step.done) continue;
      const result = step.value;
      if (result.isError)
        throw new ToolExecutionError(`Tool execution failed: ${tool.name}: ${result.output}`, undefined, call);
      return Object.hasOwn(result, 'data') ? result.data : result.output;
    }
  };
}
