import {
  type AssistantMessage,
  type Message,
  type ModelRequest,
  objectSchema,
  type Tool,
  toolUsesOf,
  userMessage,
} from '@x/core';
import { toolMessage } from '@x/core/internal';
import { collect } from '@x/core/testing';
import { createModel } from '@x/models';
import { type WireAnswer, type WireRequest, wireServer } from '@x/models/testing';
import type { Provider } from './providers.ts';

export const echo: Tool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: objectSchema({ text: { type: 'string', description: 'What to say.' } }),
  kind: 'readonly',
  effect: 'pure',
  parallelSafe: true,
  streaming: false,
  async *execute() {
    return { output: 'again', isError: false };
  },
};
/** What one call of a model has told, returned and sent. */
export interface Exchange {
  readonly deltas: { readonly content: string; readonly thinking: string };
  readonly reply: AssistantMessage;
  readonly sent: WireRequest;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One call of the provider's model, whose service gives this answer. */
export async function exchange(
  provider: Provider,
  answer: WireAnswer,
  { model = provider.model, ...more }: Partial<Omit<ModelRequest, 'model'>> & { readonly model?: string } = {},
): Promise<Exchange> {
  const server = await wireServer(answer);
  try {
    const { signal } = new AbortController();
    const request = { instruction: 'Be brief.', messages: [userMessage('Hello')], tools: [], signal, ...more };
    const { events, value } = await collect(createModel(provider.config(server.url), model).stream(request));
    const deltas = { content: '', thinking: '' };
    for (const event of events) {
      if (event.type === 'content' || event.type === 'thinking') deltas[event.type] += event.delta;
    }
    const sent = server.requests[0]!; // it has answered
    return { deltas, reply: value, sent, body: JSON.parse(sent.body) as Record<string, unknown> };
  } finally {
    await server.close();
  }
}

/** A question, the reply of a stream as a log gives it back, and the results of its calls. */
export async function conversation(provider: Provider, stream: string, media: ToolMedia = {}): Promise<Message[]> {
  const { reply } = await exchange(provider, { body: provider.stream(stream) }, { tools: [echo] });
  const logged = JSON.parse(JSON.stringify(reply)) as AssistantMessage;
  const results = toolUsesOf(logged).map(() => ({ output: 'again', isError: false, ...media }));
  const answers = results.length > 0 ? [toolMessage(logged, results)] : [];
  return [userMessage('Say hi.'), logged, ...answers, userMessage('And now?')];
}
type ToolMedia = Pick<Parameters<typeof toolMessage>[1][number], 'images' | 'files'>;

/** The JSON of what goes back for a conversation. */
export async function sentFor(provider: Provider, messages: readonly Message[], model?: string): Promise<string> {
  const answer = { body: provider.stream('text') };
  return (await exchange(provider, answer, { messages, tools: [echo], ...(model ? { model } : {}) })).sent.body;
}
