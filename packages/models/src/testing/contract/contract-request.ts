import { defineTool, type ModelRequest, type Schema, type Tool, userMessage } from '@x/core';

/** Parts of a request; everything has a default. */
export type Asked = Partial<ModelRequest>;

const OUTPUT_SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** A request of a new conversation. */
export function contractRequest(asked: Asked = {}): ModelRequest {
  return {
    instruction: 'Be brief.',
    messages: [userMessage('Hello')],
    tools: [],
    signal: new AbortController().signal,
    ...asked,
  };
}

/** The tools for `call`, `parallelCalls` and `callWithoutArguments`. */
export function contractTools(): readonly Tool[] {
  const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
  return [
    tool('echo', 'Says the text again.', text),
    tool('now', 'Tells the time.', { type: 'object', properties: {} }),
  ];
}

/** The output format for `structured`. */
export function contractOutputFormat(): NonNullable<ModelRequest['outputFormat']> {
  return { name: 'answer', schema: OUTPUT_SCHEMA, strict: true };
}

function tool(name: string, description: string, json: Schema['json']): Tool {
  const inputSchema: Schema = { json, parse: (value) => value };
  return defineTool({ name, description, inputSchema, kind: 'readonly', execute: async () => 'done' });
}
