import { readFileSync } from 'node:fs';
import { type AssistantMessage, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { createModel } from '../create-model.ts';
import { type WireScript, wireServer } from '../testing/index.ts';

const names = ['text', 'parallel-calls', 'signature-on-empty-part'];
const bodyOf = (name: string) => readFileSync(new URL(`../../test/wire/gemini/${name}.sse`, import.meta.url));
/** A reply, but for when it came. */
const said = ({ content, stopReason }: AssistantMessage) => ({ content, stopReason });
const retryable = expect.objectContaining({ code: 'MODEL_ERROR', retryable: true }) as Error;

/** What comes of `count` requests. */
async function outcomesOf(count: number, script: WireScript) {
  await using server = await wireServer(script);
  const model = createModel({ type: 'gemini', apiKey: 'k', baseUrl: server.url }, 'gemini-2.5-flash');
  const failures: unknown[] = [];
  const replies: unknown[] = [];
  for (let request = 0; request < count; request++) {
    const { signal } = new AbortController();
    const stream = model.stream({ instruction: '', messages: [userMessage('Hello')], tools: [], signal });
    await collect(stream).then(
      ({ value }) => replies.push(said(value)),
      (error: unknown) => failures.push(error),
    );
  }
  return { failures, replies };
}

describe('a stream of Gemini that is cut', () => {
  it.each(names)('%s: is whole or a retryable error, at every byte', { timeout: 60_000 }, async (name) => {
    const body = bodyOf(name);
    const { replies: whole } = await outcomesOf(1, { body });

    const { failures, replies } = await outcomesOf(body.length, (_request, number) => ({ body, cutAt: number - 1 }));

    expect(failures).toEqual(failures.map(() => retryable));
    expect(replies).toEqual(replies.map(() => whole[0]));
    expect(failures.length).toBeGreaterThan(body.length - 5);
  });

  it.each(names)(
    '%s: is whole or a retryable error when a proxy ends it in good order',
    { timeout: 60_000 },
    async (name) => {
      const body = bodyOf(name);
      const { replies: whole } = await outcomesOf(1, { body });

      const { failures, replies } = await outcomesOf(body.length, (_request, number) => ({
        body: body.subarray(0, number),
      }));

      expect(failures).toEqual(failures.map(() => retryable));
      expect(replies).toEqual(replies.map(() => whole[0]));
      expect(replies.length).toBeGreaterThan(0);
    },
  );
});
