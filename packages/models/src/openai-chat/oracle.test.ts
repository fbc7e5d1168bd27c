import { readFileSync } from 'node:fs';
import { type AssistantMessage, textOf, toolUsesOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { createModel } from '../create-model.ts';
import { type WireServer, wireServer } from '../testing/index.ts';

const messages = [userMessage('Hello')];
const ours = async ({ url }: WireServer) => {
  const model = createModel({ type: 'openai-compatible', apiKey: 'k', baseUrl: `${url}/v1` }, 'gpt-4o-mini');
  const { signal } = new AbortController();
  return (await collect(model.stream({ instruction: 'Be brief.', messages, tools: [], signal }))).value;
};
const theirs = ({ url }: WireServer) => {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0, logLevel: 'off' });
  const body = {
    model: 'gpt-4o-mini',
    messages: [{ role: 'user', content: 'Hello' }],
    stream_options: { include_usage: true },
  } as const;
  return client.chat.completions.stream({ ...body, messages: [...body.messages] }).finalChatCompletion();
};
const STOP = {
  stop: 'end',
  tool_calls: 'tool_use',
  length: 'length',
  content_filter: 'refusal',
  function_call: 'tool_use',
};

/** What both say, in one form. */
function factsOfOurs(message: AssistantMessage) {
  const calls = toolUsesOf(message).map(({ id, name, input }) => ({ id, name, input }));
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = message.usage;
  return {
    text: textOf(message),
    calls,
    stopReason: message.stopReason,
    usage: [inputTokens, outputTokens, cacheReadTokens, reasoningTokens],
  };
}
function factsOfTheirs({ choices: [choice], usage }: OpenAI.ChatCompletion) {
  const { content, refusal, tool_calls = [] } = choice!.message;
  const calls = tool_calls.map((call) => {
    const { name, arguments: input } = (call as OpenAI.ChatCompletionMessageFunctionToolCall).function;
    return { id: call.id, name, input: JSON.parse(input) as unknown };
  });
  return {
    text: (content ?? '') + (refusal ?? ''),
    calls,
    stopReason: refusal ? 'refusal' : STOP[choice!.finish_reason],
    usage: [
      usage?.prompt_tokens,
      usage?.completion_tokens,
      usage?.prompt_tokens_details?.cached_tokens,
      usage?.completion_tokens_details?.reasoning_tokens,
    ],
  };
}

describe('the official client reads the same', () => {
  it.each([
    'text',
    'text-crlf',
    'text-without-done',
    'first-chunk-without-choices',
    'call',
    'call-with-text',
    'call-in-one-piece',
    'parallel-calls',
    'refusal',
    'reasoning',
  ])('from %s', async (name) => {
    const body = readFileSync(new URL(`../../test/wire/openai-chat/${name}.sse`, import.meta.url));
    await using server = await wireServer({ body, chunkBytes: 50 });

    const [mine, other] = [await ours(server), await theirs(server)];

    expect(factsOfOurs(mine)).toEqual(factsOfTheirs(other));
  });

  // the client turns these into errors of its own, or loses them: ours must answer all the same
  it.each(['error-in-stream', 'malformed'])('fails too from %s', async (name) => {
    const body = readFileSync(new URL(`../../test/wire/openai-chat/${name}.sse`, import.meta.url));
    await using server = await wireServer({ body });

    await expect(theirs(server)).rejects.toThrow(/./);
    await expect(ours(server)).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });

  it('sends to the same address with the same authorization and content type', async () => {
    await using server = await wireServer({
      body: readFileSync(new URL('../../test/wire/openai-chat/text.sse', import.meta.url)),
    });

    await ours(server);
    await theirs(server);

    const [mine, other] = server.requests;
    expect([mine?.method, mine?.path]).toEqual([other?.method, other?.path]);
    for (const name of ['authorization', 'content-type', 'accept', 'user-agent'])
      expect(mine?.headers[name]).toBe(other?.headers[name]);
    expect(mine?.headers['content-length']).toBe(String(Buffer.byteLength(mine?.body ?? '')));
  });
});
