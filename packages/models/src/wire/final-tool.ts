import type { JsonSchema, ModelRequest } from '@x/core';
import type { FinalCall } from './final-answer.ts';

/** The tool by which a model without an output mode of its own gives its answer. */
export interface FinalTool extends FinalCall {
  readonly inputSchema: JsonSchema;
}

const MAX_NAME = 64;
/** What may not stand at the root of an input schema. */
const NOT_AT_THE_ROOT = ['anyOf', 'oneOf', 'allOf', '$ref'];

/** The tool that takes answers of a form, under a name that no other tool has. */
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
