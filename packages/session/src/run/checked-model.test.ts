import type { AssistantMessage, Model, ModelRequest } from '@x/core';
import { describe, expect, it } from 'vitest';
import { createSession } from '../create-session.ts';
import { memoryStore } from '../store/memory-store.ts';
import { checkedModel } from './checked-model.ts';

const whole: AssistantMessage = {
  id: 'r1',
  createdAt: '2026-01-01T00:00:00.000Z',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hi.' }],
  provider: 'own',
  model: 'm',
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  stopReason: 'end',
};

/** A class, as a host may write it. */
class OwnModel {
  readonly provider = 'own';
  readonly contextWindow = 1000;
  readonly #name = 'm';
  readonly #reply: unknown;

  constructor(reply: unknown) {
    this.#reply = reply;
  }

  get name(): string {
    return this.#name;
  }

  async countTokens(): Promise<number> {
    return this.#name.length;
  }

  async *stream(): ReturnType<Model['stream']> {
    yield { type: 'content', delta: 'Hi.' };
    return this.#reply as AssistantMessage; // safe: what is wrong with it is the question
  }
}

async function endWith(reply: unknown) {
  const createModel = () => new OwnModel(reply);
  await using store = memoryStore();
  const session = await createSession({ provider: { type: 'custom', createModel }, model: 'm', store });
  await session.send('Hello?');
  const events = await Array.fromAsync(session.stream());
  await session.close();
  return events.at(-1);
}

describe('a model of the host', () => {
  it('may be a class, with private fields behind its getters and methods', async () => {
    expect(await endWith(whole)).toMatchObject({ type: 'result', subtype: 'success', content: 'Hi.' });

    const model = checkedModel(new OwnModel(whole));
    expect([model.name, await model.countTokens?.({} as ModelRequest)]).toEqual(['m', 1]); // safe: it reads nothing of it
  });

  it.each<[unknown, string]>([
    [undefined, 'it returned none'],
    ['Hi.', 'it returned none'],
    [{ ...whole, role: 'user' }, "its role is 'assistant'"],
    [{ ...whole, id: undefined }, 'it lacks id'],
    [{ ...whole, createdAt: 7 }, 'it lacks createdAt'],
    [{ ...whole, usage: undefined }, 'it lacks usage.inputTokens'],
    [{ ...whole, usage: { inputTokens: 1, outputTokens: 1 } }, 'it lacks usage.totalTokens'],
    [{ ...whole, usage: { inputTokens: Number.NaN, outputTokens: 1, totalTokens: 1 } }, 'it lacks usage.inputTokens'],
    [{ ...whole, cost: Number.NaN }, 'its cost is a number from 0, or absent'],
    [{ ...whole, cost: -1 }, 'its cost is a number from 0, or absent'],
    [{ ...whole, stopReason: 'stop' }, 'its stopReason is one of end, tool_use, length, refusal, interrupted'],
    [{ ...whole, content: 'Hi.' }, 'its content is a list of blocks'],
    [{ ...whole, content: [null] }, 'content[0] lacks type'],
    [{ ...whole, content: [{ type: 'text' }] }, 'content[0] lacks text'],
    [
      { ...whole, content: [...whole.content, { type: 'tool_use', name: 'x', input: {} }] },
      'content[1] lacks id or name',
    ],
  ])('is named when it returns %j', async (reply, fault) => {
    expect(await endWith(reply)).toMatchObject({
      type: 'result',
      subtype: 'error',
      code: 'MODEL_ERROR',
      error: expect.stringContaining(`stream of model own m must return the finished message: ${fault}`),
    });
  });
});
