import type { ModelRequest } from '@x/core';
import { anthropicSchema } from '../schema/provider-schema.ts';
import { type FinalTool, finalToolFor } from '../wire/final-tool.ts';
import { hasOutputFormat } from './model-facts.ts';

/** By output format: true when the service's own mode can express it; needed for every reply. */
const expressible = new WeakMap<NonNullable<ModelRequest['outputFormat']>, boolean>();

/**
 * The final tool of a request; undefined without an output format, or when the model's own mode can express it. With such a mode, a strict
 * format is never weakened to a tool.
 */
export function finalToolOf(
  { outputFormat, tools }: Pick<ModelRequest, 'outputFormat' | 'tools'>,
  model: string,
): FinalTool | undefined {
  if (!outputFormat || (hasOutputFormat(model) && (outputFormat.strict || isExpressible(outputFormat))))
    return undefined;
  return finalToolFor(outputFormat, tools);
}

function isExpressible(format: NonNullable<ModelRequest['outputFormat']>): boolean {
  const known = expressible.get(format);
  if (known !== undefined) return known;
  let can = true;
  try {
    anthropicSchema(format.schema);
  } catch {
    can = false; // it says what it has no words for, which is no matter here
  }
  expressible.set(format, can);
  return can;
}
