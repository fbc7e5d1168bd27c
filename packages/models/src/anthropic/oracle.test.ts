import { readFileSync } from 'node:fs';
import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  anthropicOracle,
  factsOfOurAnthropic,
  factsOfTheirAnthropic,
  theirAnthropic,
  theirAnthropicBeta,
} from '../../test/oracle/anthropic.ts';
import { type WireServer, wireServer } from '../testing/index.ts';

const wire = (name: string) => readFileSync(new URL(`../../test/wire/anthropic/${name}.sse`, import.meta.url));
const ours = async ({ url }: WireServer) => {
  const { signal } = new AbortController();
  const messages = [userMessage('Hello')];
  const request = { instruction: 'Be brief.', messages, tools: [], signal };
  return (await collect(anthropicOracle.open(url).stream(request))).value;
};
const theirs = ({ url }: WireServer) => theirAnthropic(url);
const theirBeta = ({ url }: WireServer) => theirAnthropicBeta(url);

describe('the official client reads the same', () => {
  it.each([
    'text',
    'text-crlf',
    'thinking',
    'thinking-omitted',
    'redacted-thinking',
    'interleaved-thinking',
    'call',
    'call-with-text',
    'call-without-arguments',
    'call-with-empty-arguments',
    'parallel-calls',
    'text-after-call',
    'refusal',
    'length',
    'window-exceeded',
    'stop-sequence',
    'server-tool',
    'cache-usage',
    'structured',
    'text-in-start',
    'without-block-stop',
    'deferred-server-call',
    'deferred-server-result',
    'called-by-code',
    'content-in-start',
  ])('from %s', async (name) => {
    await using server = await wireServer({ body: wire(name), chunkBytes: 50 });

    const [mine, other] = [await ours(server), await theirs(server)];

    expect(factsOfOurAnthropic(mine)).toEqual(factsOfTheirAnthropic(other));
  });

  it.each(['fallback', 'mcp-call'])('from %s, of the beta', async (name) => {
    await using server = await wireServer({ body: wire(name), chunkBytes: 50 });

    const [mine, other] = [await ours(server), await theirBeta(server)];

    expect(factsOfOurAnthropic(mine)).toEqual(factsOfTheirAnthropic(other));
  });

  // half a call must not look whole, so its arguments stay the text that came
  it.each(['length-in-call', 'length-before-arguments'])('from %s, but for the input that was cut', async (name) => {
    await using server = await wireServer({ body: wire(name) });

    const [mine, other] = [factsOfOurAnthropic(await ours(server)), factsOfTheirAnthropic(await theirs(server))];
    const withoutInput = (block: unknown) => ({ ...(block as object), input: undefined });

    expect(mine.blocks.map(withoutInput)).toEqual(other.blocks.map(withoutInput));
    expect([mine.stopReason, mine.usage]).toEqual([other.stopReason, other.usage]);
  });

  it.each([
    ['a piece for a block that was not announced', '"index":7,"delta":{"type":"text_delta","text":"lost"}'],
    ['a piece of another kind', '"index":0,"delta":{"type":"thinking_delta","thinking":"lost"}'],
    ['a piece of an unknown kind', '"index":0,"delta":{"type":"mood_delta","mood":1}'],
  ])('and passes over %s', async (_what, members) => {
    const piece = `event: content_block_delta\ndata: {"type":"content_block_delta",${members}}\n\n`;
    const others = `event: weather\ndata: {"type":"weather"}\n\ndata: keep-alive\n\n${piece}`;
    const body = piece + wire('text').toString().replace('event: ping', `${others}event: ping`);
    await using server = await wireServer({ body });

    const [mine, other] = [await ours(server), await theirs(server)];

    expect(factsOfOurAnthropic(mine)).toEqual(factsOfTheirAnthropic(other));
  });
});

describe('what the official client refuses', () => {
  const text = wire('text').toString();
  const [start = ''] = text.split('event: content_block_start');

  it.each([
    ['an error event', wire('error-event').toString()],
    ['an event that is not JSON', wire('malformed').toString()],
    ['a stream that ends too soon', wire('text-cut').toString()],
    ['a message within a message', text.replace('event: ping', `${start}event: ping`)],
    ['an empty stream', ''],
  ])('fails here too: %s', async (_what, body) => {
    await using server = await wireServer({ body });

    await expect(theirs(server)).rejects.toThrow(/./);
    await expect(ours(server)).rejects.toMatchObject({ name: 'ModelError', retryable: true });
  });

  it.each([
    'nameless',
    'nameless-with-done',
    'without-message-stop',
    'usage-only-at-the-end',
    'without-block-start',
    'call-with-bad-json',
  ])('is read here, because nothing is lost: %s', async (name) => {
    await using server = await wireServer({ body: wire(name) });

    await expect(theirs(server)).rejects.toThrow(/./);
    await expect(ours(server)).resolves.toMatchObject({ role: 'assistant' });
  });
});

it('sends to the same address with the same authorization, version and agent', async () => {
  await using server = await wireServer({ body: wire('text') });

  await ours(server);
  await theirs(server);

  const [mine, other] = server.requests;
  expect([mine?.method, mine?.path]).toEqual([other?.method, other?.path]);
  for (const name of ['authorization', 'anthropic-version', 'content-type', 'accept', 'user-agent'])
    expect(mine?.headers[name]).toBe(other?.headers[name]);
  expect(mine?.headers['content-length']).toBe(String(Buffer.byteLength(mine?.body ?? '')));
});
