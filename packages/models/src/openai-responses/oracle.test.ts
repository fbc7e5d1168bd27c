import { readFileSync } from 'node:fs';
import { type AssistantMessage, textOf, toolUsesOf, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { createModel } from '../create-model.ts';
import { type WireServer, wireServer } from '../testing/index.ts';
import { inputItems } from './input-items.ts';

const MODEL = 'gpt-5-mini';
const wire = (name: string) => readFileSync(new URL(`../../test/wire/openai-responses/${name}.sse`, import.meta.url));
const ours = async ({ url }: WireServer) => {
  const model = createModel({ type: 'openai-compatible', api: 'responses', apiKey: 'k', baseUrl: `${url}/v1` }, MODEL);
  const { signal } = new AbortController();
  const messages = [userMessage('Hello')];
  return (await collect(model.stream({ instruction: 'Be brief.', messages, tools: [], signal }))).value;
};
const theirs = ({ url }: WireServer) => {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${url}/v1`, maxRetries: 0, logLevel: 'off' });
  return client.responses.stream({ model: MODEL, input: 'Hello', store: false }).finalResponse();
};
type Theirs = Awaited<ReturnType<typeof theirs>>;

/** What both say, in one form. */
function factsOfOurs(message: AssistantMessage) {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = message.usage;
  return {
    text: textOf(message),
    thinking: message.content.flatMap((block) => (block.type === 'thinking' && block.text !== '' ? [block.text] : [])),
    calls: toolUsesOf(message).map(({ id, name, input }) => ({ id, name, input })),
    stopReason: message.stopReason,
    usage: [inputTokens, outputTokens, cacheReadTokens, reasoningTokens],
  };
}
function factsOfTheirs(response: Theirs) {
  const { usage, output } = response;
  return {
    text: output.flatMap((item) => (item.type === 'message' ? item.content.map(textOfPart) : [])).join(''),
    thinking: output.flatMap((item) =>
      item.type === 'reasoning' ? [...item.summary, ...(item.content ?? [])].map((part) => part.text) : [],
    ),
    calls: callsIn(response),
    stopReason: stopReasonOf(response),
    usage: [
      usage?.input_tokens,
      usage?.output_tokens,
      usage?.input_tokens_details.cached_tokens,
      usage?.output_tokens_details.reasoning_tokens,
    ],
  };
}
function callsIn({ output }: Theirs) {
  return output.flatMap((item) => {
    if (item.type !== 'function_call') return [];
    return [{ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) as unknown }];
  });
}
function textOfPart(part: OpenAI.Responses.ResponseOutputText | OpenAI.Responses.ResponseOutputRefusal): string {
  return part.type === 'refusal' ? part.refusal : part.text;
}
function stopReasonOf(response: Theirs): string {
  if (response.status === 'incomplete') {
    return response.incomplete_details?.reason === 'content_filter' ? 'refusal' : 'length';
  }
  const parts = response.output.flatMap((item) => (item.type === 'message' ? item.content : []));
  if (parts.some((part) => part.type === 'refusal')) return 'refusal';
  return response.output.some((item) => item.type === 'function_call') ? 'tool_use' : 'end';
}

const ACCEPTED = [
  'text',
  'text-crlf',
  'structured',
  'reasoning',
  'reasoning-with-call',
  'reasoning-text-and-calls',
  'reasoning-in-plain-text',
  'call',
  'call-with-spaced-arguments',
  'call-without-arguments',
  'parallel-calls',
  'refusal',
  'length',
  'length-said-by-completed',
  'length-in-reasoning',
  'content-filter',
  'web-search',
  'shell-of-the-service',
  'cache-usage',
  'text-only-in-done',
  'all-without-output',
];

describe('the official client reads the same', () => {
  it.each(ACCEPTED)('from %s', async (name) => {
    await using server = await wireServer({ body: wire(name), chunkBytes: 50 });

    const [mine, other] = [await ours(server), await theirs(server)];

    expect(factsOfOurs(mine)).toEqual(factsOfTheirs(other));
  });

  it.each(ACCEPTED.filter((name) => !name.startsWith('length-in')))(
    'sends back the items that the service sent, as they are: %s',
    async (name) => {
      await using server = await wireServer({ body: wire(name) });
      const message = JSON.parse(JSON.stringify(await ours(server))) as AssistantMessage;

      const sent = inputItems(message, MODEL).map((item) => JSON.stringify(item));

      expect(sent).toEqual(itemsIn(name).filter(isSealedOrSaid));
    },
  );

  // the client turns these into errors of its own, or loses them: ours must answer all the same
  it.each(['error-event', 'error-event-nested', 'error-in-stream', 'malformed'])('fails too from %s', async (name) => {
    await using server = await wireServer({ body: wire(name) });

    await expect(theirs(server)).rejects.toThrow(/./);
    await expect(ours(server)).rejects.toMatchObject({ code: 'MODEL_ERROR' });
  });

  it('sends to the same address with the same authorization and content type', async () => {
    await using server = await wireServer({ body: wire('text') });

    await ours(server);
    await theirs(server);

    const [mine, other] = server.requests;
    expect([mine?.method, mine?.path]).toEqual([other?.method, other?.path]);
    for (const name of ['authorization', 'content-type', 'accept', 'user-agent'])
      expect(mine?.headers[name]).toBe(other?.headers[name]);
    expect(mine?.headers['content-length']).toBe(String(Buffer.byteLength(mine?.body ?? '')));
  });
});

/** The bytes of the items of a stream, as the events that ended them have them. */
function itemsIn(name: string): readonly string[] {
  const events = wire(name)
    .toString('utf8')
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {"type":"response.output_item.done"'));
  return events.map((line) => line.slice(line.indexOf('"item":') + '"item":'.length, -1));
}
function isSealedOrSaid(item: string): boolean {
  return !item.includes('"type":"reasoning"') || /"encrypted_content":"|"text":"/.test(item);
}
