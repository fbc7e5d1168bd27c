import type { JsonSchema, ModelRequest } from '@x/core';
import type { FinalCall } from './final-answer.ts';

/** The tool through which a model without an output mode gives its answer. */
export interface FinalTool extends FinalCall {
  readonly inputSchema: JsonSchema;
}

/** The description of the tool. */
export const FINAL_DESCRIPTION =
  'Takes your final answer. Call it once, when all other work is done, and say nothing else then.';

/** The sentence for the instruction of a request with the tool. */
export function finalInstruction({ name }: FinalCall): string {
  return `Give your final answer by calling the tool ${name}.`;
}

const MAX_NAME = 64;
/** Keywords that are not allowed at the root of an input schema. */
const NOT_AT_THE_ROOT = ['anyOf', 'oneOf', 'allOf', '$ref'];

/** Creates the tool for answers in a format, under an unused name. */
export function finalToolFor(
  outputFormat: NonNullable<ModelRequest['outputFormat']>,
  tools: ModelRequest['tools'],
): FinalTool {
  const { schema } = outputFormat;
  const wrapped = schema['type'] !== 'object' || NOT_AT_THE_ROOT.some((key) => Object.hasOwn(schema, key));
  return { name: freeName(outputFormat.name, tools), inputSchema: wrapped ? wrap(schema) : schema, wrapped };
}

function freeName(wanted: string, tools: ModelRequest['tools']): string {
  const first = wanted.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_NAME) || 'output';
  let name = first;
  for (let more = '_'; tools.some((tool) => tool.name === name); more += '_') {
    name = first.slice(0, MAX_NAME - more.length) + more;
  }
  return name;
}

/** Definitions stay at the root, which references are resolved against. */
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
