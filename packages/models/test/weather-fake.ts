import { LLMock } from '@copilotkit/aimock';
import { objectSchema, type Tool } from '@x/core';

export const weather: Tool = {
  name: 'weather',
  description: 'Tells the weather.',
  inputSchema: objectSchema({ city: { type: 'string', description: 'Where.' } }),
  kind: 'readonly',
  effect: 'pure',
  parallelSafe: true,
  streaming: false,
  async *execute() {
    return { output: 'sunny', isError: false };
  },
};
/** How a service speaks of 11 tokens in and 7 out, of being asked too fast, and of its own faults. */
export interface Words {
  readonly usage: Readonly<Record<string, number>>;
  readonly tooFast: string;
  readonly broken: string;
}

export const OPENAI_WORDS: Words = {
  usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 },
  tooFast: 'rate_limit_error',
  broken: 'server_error',
};

const call = (id: string, city: string) => ({ id, name: 'weather', arguments: JSON.stringify({ city }) });

/** A fake of the services that knows about the weather, not started yet. Who starts it stops it. */
export function weatherFake({ usage, tooFast, broken }: Words): LLMock {
  return new LLMock({ port: 0 })
    .onToolResult('call_9', { content: 'It is sunny in Oslo.' }) // first: the question stays in the history
    .onMessage('greet', { content: 'Good morning to you.', usage })
    .onMessage('think', { content: 'So be it.', reasoning: 'Let me think.' })
    .onMessage('two cities', { toolCalls: [call('call_1', 'Oslo'), call('call_2', 'Rome')] })
    .onMessage('forecast', { toolCalls: [call('call_9', 'Oslo')] })
    .onMessage('json', { content: '{"answer":42}' })
    .onMessage('long', { content: 'cut here', finishReason: 'length' })
    .onMessage('forbidden', { content: 'No.', finishReason: 'content_filter' })
    .onMessage('slow down', { error: { message: 'Too fast', type: tooFast }, status: 429, retryAfter: 3 })
    .onMessage('broken', { error: { message: 'Oops', type: broken }, status: 500 })
    .onMessage('hang up', { content: 'a b c d e f g h i j k l m n o p' }, { chunkSize: 2, truncateAfterChunks: 3 });
}
