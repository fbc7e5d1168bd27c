import { readdirSync, readFileSync } from 'node:fs';
import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { chatOracle } from '../../test/oracle/openai-chat.ts';
import { type WireServer, wireServer } from '../testing/index.ts';

const ours = async ({ url }: WireServer) => {
  const { signal } = new AbortController();
  const messages = [userMessage('Hello')];
  const request = { instruction: 'Be brief.', messages, tools: [], signal };
  return (await collect(chatOracle.open(url).stream(request))).value;
};
const theirs = ({ url }: WireServer) => chatOracle.theirs(url);

const folder = new URL('../../test/wire/openai-chat/', import.meta.url);
const streams = readdirSync(folder).flatMap((name) => (name.endsWith('.sse') ? [name.slice(0, -4)] : []));
const body = (name: string) => readFileSync(new URL(`${name}.sse`, folder));
/** Streams that the client takes without understanding them, and what it makes of them. */
const GARBLED = chatOracle.known;
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

    expect(chatOracle.factsOfOurs(mine)).toEqual(other);
  });

  it.each(Object.entries(GARBLED))('but not from %s: %s', async (name) => {
    await using server = await wireServer({ body: body(name) });

    const [mine, other] = [await ours(server), await theirs(server)];

    expect(chatOracle.factsOfOurs(mine)).not.toEqual(other);
  });

  it.each(Object.entries(REFUSED))('and refuses %s; ours is a reply: %s', async (name, isReply) => {
    await using server = await wireServer({ body: body(name) });

    await expect(theirs(server)).rejects.toThrow(/./);
    await expect(ours(server).catch((error: unknown) => error)).resolves.toMatchObject(
      isReply ? { role: 'assistant' } : { name: 'ModelError' },
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
