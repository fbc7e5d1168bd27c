import { readdirSync, readFileSync } from 'node:fs';
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
/** What both say, in one form. Text of a JSON object stands for the object; ids that are made up are not compared. */
function factsOfOurs(message: AssistantMessage) {
  const calls = toolUsesOf(message).map(({ id, name, input }) => ({ id: idOf(id), name, input }));
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens, estimated } = message.usage;
  const usage = estimated ? [] : [inputTokens, outputTokens, cacheReadTokens, reasoningTokens];
  return { text: textOf(message), calls, stopReason: message.stopReason, usage };
}
function factsOfTheirs({ choices: [choice], usage }: OpenAI.ChatCompletion) {
  const { content, refusal, function_call, tool_calls = [] } = choice!.message;
  const old = function_call ? [{ id: 'call_', ...function_call }] : [];
  const calls = tool_calls.map((call) => {
    if (call.type === 'custom') return { id: idOf(call.id), name: call.custom.name, input: call.custom.input };
    return { id: idOf(call.id), name: call.function.name, input: inputOf(call.function.arguments) };
  });
  const called = [...calls, ...old.map(({ id, name, arguments: text }) => ({ id, name, input: inputOf(text) }))];
  const ended = { length: 'length', content_filter: 'refusal' }[choice!.finish_reason as string];
  return {
    text: (content ?? '') + (refusal ?? ''),
    calls: called,
    stopReason: ended ?? (refusal ? 'refusal' : called.length > 0 ? 'tool_use' : 'end'),
    usage: usage
      ? [
          usage.prompt_tokens,
          usage.completion_tokens,
          usage.prompt_tokens_details?.cached_tokens,
          usage.completion_tokens_details?.reasoning_tokens,
        ]
      : [],
  };
}
function idOf(id: string): string {
  return /^call_[0-9a-f-]{32,}$/.test(id) ? 'call_' : id;
}
function inputOf(text: string): unknown {
  try {
    return text === '' ? {} : JSON.parse(text);
  } catch {
    return text; // arguments that are no JSON
  }
}

const folder = new URL('../../test/wire/openai-chat/', import.meta.url);
const streams = readdirSync(folder).flatMap((name) => (name.endsWith('.sse') ? [name.slice(0, -4)] : []));
const body = (name: string) => readFileSync(new URL(`${name}.sse`, folder));
/** Streams that the client takes without understanding them, and what it makes of them. */
const GARBLED: Readonly<Record<string, string>> = {
  'call-goes-on-at-another-index': 'what belongs to one in the other',
  'call-after-empty-arguments': 'both joined, which is no JSON',
  'call-with-arguments-twice': 'both joined, which is no JSON',
  'call-with-object-arguments': '[object Object]',
  'calls-with-one-index': 'one call',
  'calls-with-the-same-id': 'calls that results cannot tell apart',
  'calls-without-id-one-index': 'one call',
  'content-parts': '[object Object]',
  'extra-content': 'one call',
  'length-before-arguments': 'arguments that nobody has finished for none',
  'reasoning-call': 'DeepSeek has its own word for cached tokens',
  'reasoning-field': 'Groq has its own place for usage',
  'usage-in-choice': 'Moonshot has its own place for usage',
  'usage-in-two-halves': 'the last half',
};

/** Streams that the client refuses; ours is a reply where true. */
const REFUSED: Readonly<Record<string, boolean>> = {
  'call-as-object': true,
  'call-counted-on': true,
  'calls-begun-together': true,
  'body-at-once': true,
  'call-with-null-arguments': true,
  'calls-interleaved-by-id': true,
  'calls-without-index': true,
  'calls-without-index-and-id': true,
  'empty-data': true,
  'error-event': false,
  'error-in-stream': false,
  malformed: false,
  'multi-line-data': true,
  'text-cut': false,
  'text-without-finish': true,
};

describe('the official client reads the same', () => {
  const odd = [...Object.keys(REFUSED), ...Object.keys(GARBLED)];

  it.each(streams.filter((name) => !odd.includes(name)))('from %s', async (name) => {
    await using server = await wireServer({ body: body(name), chunkBytes: 50 });

    const [mine, other] = [await ours(server), await theirs(server)];

    expect(factsOfOurs(mine)).toEqual(factsOfTheirs(other));
  });

  it.each(Object.entries(GARBLED))('but not from %s: %s', async (name) => {
    await using server = await wireServer({ body: body(name) });

    const [mine, other] = [await ours(server), await theirs(server)];

    expect(factsOfOurs(mine)).not.toEqual(factsOfTheirs(other));
  });

  it.each(Object.entries(REFUSED))('and refuses %s; ours is a reply: %s', async (name, isReply) => {
    await using server = await wireServer({ body: body(name) });

    await expect(theirs(server)).rejects.toThrow(/./);
    await expect(ours(server).catch((error: unknown) => error)).resolves.toMatchObject(
      isReply ? { role: 'assistant' } : { code: 'MODEL_ERROR' },
    );
  });

  it('sends to the same address with the same authorization and content type', async () => {
    await using server = await wireServer({ body: body('text') });

    await ours(server);
    await theirs(server);

    const [mine, other] = server.requests;
    expect([mine?.method, mine?.path]).toEqual([other?.method, other?.path]);
    for (const name of ['authorization', 'content-type', 'accept', 'user-agent'])
      expect(mine?.headers[name]).toBe(other?.headers[name]);
    expect(mine?.headers['content-length']).toBe(String(Buffer.byteLength(mine?.body ?? '')));
  });
});
