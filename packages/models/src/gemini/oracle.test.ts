import { readFileSync } from 'node:fs';
import { userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { factsOfOurGemini, factsOfTheirGemini, openGemini, theirGemini } from '../../test/oracle/gemini.ts';
import { type WireServer, wireServer } from '../testing/index.ts';

const wire = (name: string) => readFileSync(new URL(`../../test/wire/gemini/${name}.sse`, import.meta.url));
const ours = async ({ url }: WireServer, name?: string) => {
  const { signal } = new AbortController();
  const messages = [userMessage('Hello')];
  const request = { instruction: 'Be brief.', messages, tools: [], signal };
  return (await collect(openGemini(url, name).stream(request))).value;
};
const theirs = ({ url }: WireServer, name?: string) => theirGemini(url, name);

describe('the official client reads the same', () => {
  it.each([
    'text',
    'text-crlf',
    'text-cr',
    'text-compact',
    'text-over-lines',
    'finish-in-every-chunk',
    'finish-in-empty-chunk',
    'finish-with-empty-text',
    'thoughts',
    'thoughts-interleaved',
    'signature-on-empty-part',
    'signature-on-text',
    'call',
    'call-with-id',
    'call-with-text',
    'call-without-arguments',
    'parallel-calls',
    'parallel-calls-without-id',
    'calls-over-chunks',
    'calls-over-chunks-without-id',
    'length',
    'length-in-thoughts',
    'continuation',
    'safety',
    'recitation',
    'model-armor',
    'other-with-text',
    'prompt-blocked',
    'empty',
    'cached',
    'tool-use-usage',
    'structured',
    'code-execution',
    'image',
  ])('from %s', async (name) => {
    await using server = await wireServer({ body: wire(name), chunkBytes: 50 });

    const [mine, other] = [await ours(server), await theirs(server)];

    expect(factsOfOurGemini(mine)).toEqual(factsOfTheirGemini(other));
  });

  it.each(['call-with-id', 'parallel-calls', 'calls-over-chunks', 'call-without-arguments'])(
    'with the same ids from %s',
    async (name) => {
      await using server = await wireServer({ body: wire(name) });

      const [mine, other] = [await ours(server), await theirs(server)];

      const ids = other.flatMap((chunk) => (chunk.functionCalls ?? []).map(({ id }) => id));
      expect(mine.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))).toEqual(ids);
    },
  );

  it.each(['error-in-stream', 'error-as-bare-json', 'error-over-lines', 'malformed'])(
    'fails too from %s',
    async (name) => {
      await using server = await wireServer({ body: wire(name) });

      await expect(theirs(server)).rejects.toThrow(/./);
      await expect(ours(server)).rejects.toMatchObject({ name: 'ModelError' });
    },
  );

  // the client hands these out as if they were replies
  it.each(['cut', 'malformed-call', 'error-in-list'])('does not see that %s is none', async (name) => {
    await using server = await wireServer({ body: wire(name) });

    await expect(theirs(server)).resolves.toBeInstanceOf(Array);
    await expect(ours(server)).rejects.toMatchObject({ name: 'ModelError' });
  });

  it.each(['gemini-2.5-flash', 'models/gemini-2.5-flash', 'tunedModels/mine-17'])(
    'sends %s to the same address with the same headers',
    async (name) => {
      await using server = await wireServer({ body: wire('text') });

      await ours(server, name);
      await theirs(server, name);

      const [mine, other] = server.requests;
      expect([mine?.method, mine?.path]).toEqual([other?.method, other?.path]);
      for (const header of ['x-goog-api-key', 'x-goog-api-client', 'content-type', 'user-agent'])
        expect(mine?.headers[header]).toBe(other?.headers[header]);
      expect(mine?.headers['content-length']).toBe(String(Buffer.byteLength(mine?.body ?? '')));
    },
  );

  it('sends the same body, but for the thoughts that it asks for', async () => {
    await using server = await wireServer({ body: wire('text') });

    await ours(server, 'gemini-2.0-flash');
    await theirs(server, 'gemini-2.0-flash');

    const [mine, other] = server.requests.map(({ body }) => JSON.parse(body) as Record<string, unknown>);
    const { generationConfig, systemInstruction, ...rest } = other!; // two requests were made
    expect(generationConfig).toEqual({});
    expect(systemInstruction).toMatchObject(mine!['systemInstruction'] as object);
    expect(rest).toMatchObject({ contents: mine!['contents'] });
  });
});
