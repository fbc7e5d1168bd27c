import { type Message, type ModelRequest, objectSchema, type Tool, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { createModel, type ProviderConfig } from '@x/models';
import type { WireServer } from '@x/models/testing';

type Config<C = ProviderConfig> = C extends { readonly apiKey?: unknown } ? Omit<C, 'apiKey' | 'baseUrl'> : never;

/** A tool without arguments. */
export const look: Tool = {
  name: 'look',
  description: 'Looks.',
  inputSchema: objectSchema({}),
  kind: 'readonly',
  effect: 'pure',
  parallelSafe: true,
  streaming: false,
  async *execute() {
    return { output: 'seen', isError: false };
  },
};

/** The form of an answer with a title. */
export const titled = {
  name: 'book',
  schema: {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  },
  strict: true,
};

/** Asks one model of a service again and again, and remembers what it has sent. */
export function talkTo({ url, requests }: WireServer, config: Config, name: string) {
  const baseUrl = config.type === 'openai-compatible' ? `${url}/v1` : url;
  const model = createModel({ ...config, apiKey: 'key-4711', baseUrl }, name);
  const ask = (messages: readonly Message[] = [userMessage('Hello')], more: Partial<ModelRequest> = {}) =>
    collect(model.stream({ instruction: '', messages, tools: [], signal: new AbortController().signal, ...more }));
  return {
    model,
    ask,
    /** The body of the last request. */
    sent: (): Record<string, unknown> => JSON.parse(requests.at(-1)?.body ?? ''),
  };
}

/** Chunks of a chat completion, to its end. */
export function chat(...chunks: readonly object[]) {
  return { body: `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n` };
}
/** A chunk of a chat completion. */
export function chunk(delta: object, finish_reason: string | null = null) {
  return { choices: [{ index: 0, delta, finish_reason }] };
}
/** Events with a type, as Anthropic and responses write them. */
function events(...list: readonly (Readonly<Record<string, unknown>> & { readonly type: string })[]) {
  return { body: list.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('') };
}
/** A reply of Anthropic's: its blocks, each with the pieces that follow it. */
export function anthropicReply(
  blocks: readonly (readonly [block: object, ...deltas: object[]])[],
  stop_reason: string,
  usage: object = { output_tokens: 5 },
) {
  const parts = blocks.flatMap(([content_block, ...deltas], index) => [
    { type: 'content_block_start', index, content_block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]);
  const message = { role: 'assistant', content: [], usage: { input_tokens: 7, output_tokens: 1 } };
  const end = [{ type: 'message_delta', delta: { stop_reason }, usage }, { type: 'message_stop' }];
  return events({ type: 'message_start', message }, ...parts, ...end);
}
/** A whole response of items, each told as it begins, by its text, and as it ends. */
export function response(...output: readonly ResponseItem[]) {
  const steps = output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...item, content: [] } },
    ...(item.content ?? []).map(({ text: delta }, content_index) => {
      return { type: 'response.output_text.delta', output_index, content_index, item_id: item.id, delta };
    }),
    { type: 'response.output_item.done', output_index, item },
  ]);
  const usage = { input_tokens: 9, output_tokens: 9 };
  return events(...steps, { type: 'response.completed', response: { status: 'completed', output, usage } });
}
interface ResponseItem {
  readonly id: string;
  readonly type: string;
  readonly content?: readonly { readonly text: string }[];
}
/** A message of a response. */
export function said(id: string, text: string, more: object = {}) {
  const content = [{ type: 'output_text', annotations: [], text }];
  return { id, type: 'message', status: 'completed', role: 'assistant', content, ...more };
}
