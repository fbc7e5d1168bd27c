import { AbortError, AgentError } from '@x/errors';
import { describe, expect, it } from 'vitest';
import { userMessage } from '../message.ts';
import type { ModelRequest } from '../model.ts';
import { collect } from './collect.ts';
import { scriptedModel } from './scripted-model.ts';

const request = (signal = new AbortController().signal): ModelRequest => ({
  instruction: 'be brief',
  messages: [userMessage('hi')],
  tools: [],
  signal,
});

describe('scriptedModel', () => {
  it('plays its replies in order, delta by delta, and returns the message', async () => {
    const model = scriptedModel([{ thinking: 'hm', text: ['Hel', 'lo'] }, { text: 'Bye' }]);

    const first = await collect(model.stream(request()));
    const second = await collect(model.stream(request()));

    expect(first.events).toEqual([
      { type: 'thinking', delta: 'hm' },
      { type: 'content', delta: 'Hel' },
      { type: 'content', delta: 'lo' },
    ]);
    expect(first.value).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm' },
        { type: 'text', text: 'Hello' },
      ],
      provider: 'scripted',
      model: 'scripted',
      stopReason: 'end',
    });
    expect(second.value.content).toEqual([{ type: 'text', text: 'Bye' }]);
    expect(second.value.id).not.toBe(first.value.id);
  });

  it('asks for tools, with ids of its own where none is given', async () => {
    const model = scriptedModel([{ toolCalls: [{ name: 'a' }, { id: 'mine', name: 'b', input: { x: 1 } }] }]);

    const { value } = await collect(model.stream(request()));

    expect(value.stopReason).toBe('tool_use');
    expect(value.content).toEqual([
      { type: 'tool_use', id: 'call_1_0', name: 'a', input: {} },
      { type: 'tool_use', id: 'mine', name: 'b', input: { x: 1 } },
    ]);
  });

  it('reports usage whose total is input plus output', async () => {
    const model = scriptedModel([{}, { usage: { inputTokens: 3, outputTokens: 4, cacheReadTokens: 2 } }]);

    const plain = await collect(model.stream(request()));
    const given = await collect(model.stream(request()));

    expect(plain.value.usage).toEqual({ inputTokens: 10, outputTokens: 5, totalTokens: 15 });
    expect(given.value.usage).toEqual({ inputTokens: 3, outputTokens: 4, totalTokens: 7, cacheReadTokens: 2 });
  });

  it('keeps every request', async () => {
    const model = scriptedModel([{ text: 'a' }]);
    const asked = request();

    await collect(model.stream(asked));

    expect(model.requests).toEqual([asked]);
  });

  it('may be a function of the request and the turn', async () => {
    const model = scriptedModel((asked, turn) => ({ text: `${asked.instruction} ${turn}` }), { name: 'echo' });

    const { value } = await collect(model.stream(request()));

    expect(value).toMatchObject({ model: 'echo', content: [{ type: 'text', text: 'be brief 1' }] });
  });

  it('takes the stop reason it is told', async () => {
    const { value } = await collect(scriptedModel([{ text: 'cut', stopReason: 'length' }]).stream(request()));

    expect(value.stopReason).toBe('length');
  });

  it('throws the scripted error after the text', async () => {
    const stream = scriptedModel([{ text: 'so far', error: new Error('below') }]).stream(request());

    expect((await stream.next()).value).toEqual({ type: 'content', delta: 'so far' });

    await expect(stream.next()).rejects.toThrow('below');
  });

  it('throws the scripted error before anything was said when there is no text', async () => {
    const stream = scriptedModel([{ error: new Error('refused') }]).stream(request());

    await expect(stream.next()).rejects.toThrow('refused');
  });

  it('has the window it is told, else one of 128000 tokens', () => {
    expect(scriptedModel([], { contextWindow: 1000 }).contextWindow).toBe(1000);
    expect(scriptedModel([]).contextWindow).toBe(128_000);
  });

  it('says when the script has ended', () => {
    expect(() => scriptedModel([]).stream(request())).toThrow(AgentError);
    expect(() => scriptedModel([]).stream(request())).toThrow(expect.objectContaining({ code: 'SCRIPT_ENDED' }));
  });

  it('hangs until it is aborted', async () => {
    const controller = new AbortController();
    const stream = scriptedModel([{ text: 'x', hangs: true }]).stream(request(controller.signal));
    await stream.next();

    const ending = stream.next();
    controller.abort();

    await expect(ending).rejects.toBeInstanceOf(AbortError);
  });

  it.each([{ text: 'x' }, { thinking: 'x' }, {}, { hangs: true }])('does not start %j when aborted', async (reply) => {
    await expect(collect(scriptedModel([reply]).stream(request(AbortSignal.abort())))).rejects.toBeInstanceOf(
      AbortError,
    );
  });

  it('ends between two deltas when aborted', async () => {
    const controller = new AbortController();
    const stream = scriptedModel([{ text: ['a', 'b'] }]).stream(request(controller.signal));
    await stream.next();

    controller.abort();

    await expect(stream.next()).rejects.toBeInstanceOf(AbortError);
  });
});
