import type { JsonSchema, ModelRequest } from '@x/core';
import { anthropicSchema } from '../schema/provider-schema.ts';
import type { FinalCall } from '../wire/final-answer.ts';
import { hasOutputFormat } from './model-facts.ts';

/** The tool by which a model without an output mode of its own gives its answer. */
export interface FinalTool extends FinalCall {
  readonly inputSchema: JsonSchema;
}

const MAX_NAME = 64;
/** What may not stand at the root of an input schema. */
const NOT_AT_THE_ROOT = ['anyOf', 'oneOf', 'allOf', '$ref'];

/** Whether a form can be said in the service's own mode; asked with every reply. */
const expressible = new WeakMap<NonNullable<ModelRequest['outputFormat']>, boolean>();

/**
 * The final tool of a request; nothing when no form is asked for, or the model has a mode of its own that can say it. Where there is
 * such a mode, a strict form is not weakened to a tool.
 */
export function finalToolOf(
  { outputFormat, tools }: Pick<ModelRequest, 'outputFormat' | 'tools'>,
  model: string,
): FinalTool | undefined {
  if (!outputFormat || (hasOutputFormat(model) && (outputFormat.strict || isExpressible(outputFormat))))
    return undefined;
  const { schema } = outputFormat;
  let name = outputFormat.name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME) || 'output';
  while (tools.some((tool) => tool.name === name)) name += '_';
  const wrapped = schema['type'] !== 'object' || NOT_AT_THE_ROOT.some((key) => Object.hasOwn(schema, key));
  return { name, inputSchema: wrapped ? wrap(schema) : schema, wrapped };
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

/** Definitions stay at the root, where references look for them. */
function wrap({ $schema: _dialect, $defs, definitions, ...value }: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { value },
    required: ['value'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}
