import { readFileSync } from 'node:fs';
import { type AssistantMessage, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import {
  factsOfOurResponse,
  factsOfTheirResponse,
  responsesOracle,
  theirResponse,
} from '../../test/oracle/openai-responses.ts';
import { type WireServer, wireServer } from '../testing/index.ts';
import { inputItems } from './input-items.ts';

const MODEL = 'gpt-5-mini';
const wire = (name: string) => readFileSync(new URL(`../../test/wire/openai-responses/${name}.sse`, import.meta.url));
const ours = async ({ url }: WireServer) => {
  const { signal } = new AbortController();
  const messages = [userMessage('Hello')];
  const request = { instruction: 'Be brief.', messages, tools: [], signal };
  return (await collect(responsesOracle.open(url).stream(request))).value;
};
const theirs = ({ url }: WireServer) => theirResponse(url);

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
  it.each([...ACCEPTED, 'image'])('from %s', async (name) => {
    await using server = await wireServer({ body: wire(name), chunkBytes: 50 });

    const [mine, other] = [await ours(server), await theirs(server)];

    expect(factsOfOurResponse(mine)).toEqual(factsOfTheirResponse(other));
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
    await expect(ours(server)).rejects.toMatchObject({ name: 'ModelError' });
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
