import { defineTool, type Tool, type ToolEffect, type ToolKind, ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { frozenCopy } from './frozen-copy.ts';
import type { ToolImplementation, ToolMetadata } from './metadata.ts';
import { parametersSchema } from './parameters.ts';
import { parametersOf } from './parameters-of.ts';
import { checkMetadata } from './validate-metadata.ts';

/** Properties of a tool that metadata lacks; the defaults are those of `defineTool`. */
export interface MetadataToolOptions {
  readonly kind?: ToolKind;
  readonly effect?: ToolEffect;
  readonly parallelSafe?: boolean;
}

/** Checked by `defineTool`. */
export const FURTHER: OptionRules<MetadataToolOptions> = {
  kind: is.anything,
  effect: is.anything,
  parallelSafe: is.anything,
};

/** Creates a `Tool` from metadata and an implementation. @throws ValidationError naming the invalid field */
export function metadataTool(
  metadata: ToolMetadata,
  implementation: ToolImplementation,
  options: MetadataToolOptions = {},
): Tool<Record<string, unknown>> {
  checkOptions('metadataTool options', options, FURTHER);
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
    execute: async (input, { signal, idempotencyKey }) => implementation(input, { signal, idempotencyKey }),
  });
}

/** The metadata of a tool. Its own schema may be more precise than parameters, and is the one that judges. */
export function toMetadata({ name, description, inputSchema }: Tool): ToolMetadata {
  return { name, description, parameters: parametersOf(inputSchema.json) };
}
