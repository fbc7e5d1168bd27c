import { defineTool, type Tool, type ToolEffect, type ToolKind, ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { frozenCopy } from './frozen-copy.ts';
import type { ToolImplementation, ToolMetadata } from './metadata.ts';
import { parametersSchema } from './parameters.ts';
import { parametersOf } from './parameters-of.ts';
import { checkMetadata } from './validate-metadata.ts';

/** What metadata does not say about a tool; the defaults are those of `defineTool`. */
export interface MetadataToolOptions {
  readonly kind?: ToolKind;
  readonly effect?: ToolEffect;
  readonly parallelSafe?: boolean;
}

/** `defineTool` checks what they are. */
export const FURTHER: OptionRules<MetadataToolOptions> = {
  kind: is.anything,
  effect: is.anything,
  parallelSafe: is.anything,
};

/** Metadata and an implementation as a `Tool`. @throws ValidationError naming the field that does not fit */
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

/** What a tool says about itself. Its own schema may say more than parameters can, and decides. */
export function toMetadata({ name, description, inputSchema }: Tool): ToolMetadata {
  return { name, description, parameters: parametersOf(inputSchema.json) };
}
