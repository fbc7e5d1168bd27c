import { readFileSync } from 'node:fs';
import { type AssistantMessage, userMessage } from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { createModel } from '../create-model.ts';
import { type WireScript, wireServer } from '../testing/index.ts';
import { GeminiReplyReader } from './from-stream.ts';

const names = ['text', 'parallel-calls', 'signature-on-empty-part'];
const bodyOf = (name: string) => readFileSync(new URL(`../../test/wire/gemini/${name}.sse`, import.meta.url));
/** A reply, but for when it came. */
const said = ({ content, stopReason }: AssistantMessage) => ({ content, stopReason });
const retryable = expect.objectContaining({ name: 'ModelError', retryable: true }) as Error;

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

/** What comes of the bytes when a proxy ends them in good order; the same for every way they may take. */
function outcomeOf(bytes: Uint8Array) {
  const request = {
    instruction: '',
    messages: [userMessage('Hello')],
    tools: [],
    signal: new AbortController().signal,
  };
  const reader = new GeminiReplyReader({
    model: 'gemini-2.5-flash',
    request,
    context: { provider: 'gemini', apiKey: 'k' },
  });
  try {
    reader.push(new TextDecoder().decode(bytes));
    reader.end();
    return said(reader.message());
  } catch (error) {
    return error;
  }
}

describe('a stream of Gemini that is cut', () => {
  // every byte is tried by the suite `model-streams`
  it.each(names)('%s: is whole or a retryable error, at one byte in 13', async (name) => {
    const body = bodyOf(name);
    const { replies: whole } = await outcomesOf(1, { body });
    const cuts = Math.ceil(body.length / 13);

    const { failures, replies } = await outcomesOf(cuts, (_request, number) => ({ body, cutAt: (number - 1) * 13 }));

    expect(failures).toEqual(failures.map(() => retryable));
    expect(replies).toEqual(replies.map(() => whole[0]));
    expect(failures.length).toBeGreaterThan(cuts - 2);
  });

  it.each(names)('%s: is whole or a retryable error when a proxy ends it in good order, at every byte', (name) => {
    const body = bodyOf(name);
    const whole = outcomeOf(body);

    const outcomes = Array.from({ length: body.length }, (_, index) => outcomeOf(body.subarray(0, index + 1)));

    const failures = outcomes.filter((outcome) => outcome instanceof Error);
    const replies = outcomes.filter((outcome) => !(outcome instanceof Error));
    expect(failures).toEqual(failures.map(() => retryable));
    expect(replies).toEqual(replies.map(() => whole));
    expect(replies.length).toBeGreaterThan(0);
  });
});
