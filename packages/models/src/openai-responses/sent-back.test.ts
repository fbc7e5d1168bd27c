import { readFileSync } from 'node:fs';
import type { AssistantMessage, ToolMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { ResponsesReplyReader } from './from-stream.ts';
import { inputItems } from './input-items.ts';

const MODEL = 'gpt-5-mini';
type Block = AssistantMessage['content'][number];
type Item = Record<string, unknown>;

/** The message that a finished response with these items becomes. */
function replyOf(output: readonly object[], before: readonly object[] = []): AssistantMessage {
  return replyFrom([...before, { type: 'response.completed', response: { status: 'completed', output } }]);
}
function replyFrom(events: readonly object[]): AssistantMessage {
  return read(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
}
function read(stream: string): AssistantMessage {
  const request = { instruction: '', messages: [], tools: [], signal: new AbortController().signal };
  const context = { provider: 'openai-compatible', apiKey: 'k' };
  const reader = new ResponsesReplyReader({ model: MODEL, request, context });
  reader.push(stream);
  reader.end();
  return reader.message();
}
const changed = (message: AssistantMessage, change: (block: Block) => Block): AssistantMessage => {
  return { ...message, content: message.content.map(change) };
};
const resultOf = (toolUseId: string): ToolMessage => ({
  id: '2',
  createdAt: '2026-11-21T00:00:00.000Z',
  role: 'tool',
  content: [{ type: 'tool_result', toolUseId, name: 'echo', output: 'out', isError: false }],
});
const sent = (message: AssistantMessage | ToolMessage, model = MODEL) => inputItems(message, model) as readonly Item[];
const call = (more: object = {}) => {
  return {
    id: 'fc_1',
    type: 'function_call',
    status: 'completed',
    arguments: '{"a":1}',
    call_id: 'call_1',
    name: 'echo',
    ...more,
  };
};
const said = (more: object = {}) => {
  const part = { type: 'output_text', annotations: [], logprobs: [], text: 'So.' };
  return { id: 'msg_1', type: 'message', status: 'completed', content: [part], role: 'assistant', ...more };
};
const thought = (more: object = {}) => ({
  id: 'rs_1',
  type: 'reasoning',
  summary: [],
  encrypted_content: 'gAAA',
  ...more,
});
const LONG = 'x'.repeat(65);

describe('what goes back of a reply', () => {
  it('names a call as its result does, when its id was replaced', () => {
    const own = changed(replyOf([call()]), (block) =>
      block.type === 'tool_use' ? { ...block, id: 'call_new' } : block,
    );

    expect(sent(own)).toEqual([call({ call_id: 'call_new' })]);
    expect(sent(resultOf('call_new'))).toMatchObject([{ call_id: 'call_new' }]);
  });

  it('is what stands in the blocks, when somebody has changed them', () => {
    const reply = replyOf([said(), call()]);
    const own = changed(reply, (block) => {
      if (block.type === 'tool_use') return { ...block, name: 'now', input: { b: 2 } };
      return { ...block, text: 'No.' };
    });

    expect(JSON.stringify(sent(own))).not.toMatch(/So\.|echo|\\\\"a/);
    expect(sent(own)).toMatchObject([{ content: [{ text: 'No.' }] }, { name: 'now', arguments: '{"b":2}' }]);
  });

  it('has no part in an item of another kind, when somebody has taken out the block that began its own', () => {
    const part = { type: 'output_text', annotations: [], text: 'One.' };
    const reply = replyOf([thought({ content: [] }), said({ content: [part, { ...part, text: 'Two.' }] })]);
    const own = { ...reply, content: reply.content.filter((block) => block.type !== 'text' || block.text !== 'One.') };

    expect(sent(own)).toEqual([thought({ content: [] }), { type: 'message', role: 'assistant', content: 'Two.' }]);
  });

  it('does not repeat the text token by token, as servers give its probabilities', () => {
    const logprobs = [
      { token: 'So', logprob: 0 },
      { token: '.', logprob: 0 },
    ];
    const message = replyOf([said({ content: [{ type: 'output_text', annotations: [], logprobs, text: 'So.' }] })]);

    expect(JSON.stringify(message)).not.toContain('logprob":0');
    expect(sent(message)).toEqual([said()]);
  });

  it('has short ids for calls and results whose ids are too long for the service', () => {
    const [item] = sent(replyOf([call({ call_id: LONG })]));
    const [result] = sent(resultOf(LONG));

    expect(item?.['call_id']).toMatch(/^.{1,64}$/);
    expect(result?.['call_id']).toBe(item?.['call_id']);
  });

  it('keeps a long id in which a gateway has hidden a signature, for other models than those of OpenAI', () => {
    const id = `call_1__thought__${LONG}`;

    expect(sent(replyOf([call({ call_id: id })]), 'gemini-3-pro')).toMatchObject([{ call_id: id }]);
    expect(sent(resultOf(id), 'gemini-3-pro')).toMatchObject([{ call_id: id }]);
    expect(sent(resultOf(id), MODEL)).toMatchObject([{ call_id: expect.stringMatching(/^.{1,64}$/) }]);
  });

  it('leaves out ids of items that are too long for the service, though it gave them itself', () => {
    const { id: _thought, ...namelessThought } = thought();
    const { id: _said, status: _status, ...namelessSaid } = said();

    expect(sent(replyOf([thought({ id: LONG }), said({ id: LONG })]))).toEqual([namelessThought, namelessSaid]);
    expect(sent(replyOf([thought(), said()]))).toEqual([thought(), said()]);
  });

  it('has no status on reasoning of another model, and none on a message without an id', () => {
    const reply = replyOf([thought({ status: 'completed' }), said()]);

    expect(sent({ ...reply, model: 'grok-4' })).toEqual([thought(), said()]);
    expect(sent(reply)).toEqual([thought({ status: 'completed' }), said()]);
    expect(sent(replyOf([thought({ encrypted_content: null }), said(), call()]))).toEqual([
      { type: 'message', role: 'assistant', content: said().content },
      { type: 'function_call', status: 'completed', call_id: 'call_1', name: 'echo', arguments: '{"a":1}' },
    ]);
  });

  it('has the id that belongs to encrypted reasoning, where ids change from event to event', () => {
    const done = {
      type: 'response.output_item.done',
      output_index: 0,
      item: thought({ id: 'rs_done', encrypted_content: 'sealed' }),
    };
    const message = replyOf([thought({ id: 'rs_last', encrypted_content: 'other' }), said()], [done]);

    expect(sent(message)[0]).toEqual(thought({ id: 'rs_done', encrypted_content: 'sealed' }));
  });

  it('has a name for every call that the service takes', () => {
    expect(sent(replyOf([call({ name: 'multi_tool_use.parallel' })]))).toMatchObject([
      { name: 'multi_tool_use_parallel' },
    ]);
    expect(sent(replyOf([call({ name: '' })]))).toMatchObject([{ name: 'unknown' }]);
  });

  it.each([
    ['shell_call', {}],
    ['tool_search_call', { execution: 'client' }],
    ['custom_tool_call', { input: 'x' }],
  ])('leaves out a %s that nobody has answered, and keeps one that the service has', (type, more) => {
    const asked = { id: 'a', type, status: 'completed', call_id: 'call_s', ...more };
    const answer = { id: 'b', type: type.replace('_call', '_call_output'), status: 'completed', call_id: 'call_s' };

    expect(sent(replyOf([asked, said()]))).toEqual([said()]);
    expect(sent(replyOf([asked, answer, said()]))).toEqual([asked, answer, said()]);
  });

  it('keeps a search for tools that the service made itself', () => {
    const search = {
      id: 'tsc_1',
      type: 'tool_search_call',
      status: 'completed',
      arguments: {},
      call_id: null,
      execution: 'server',
    };

    expect(sent(replyOf([search, said()]))).toEqual([search, said()]);
  });

  it('is one call, where all its ids change from event to event', () => {
    const file = new URL('../../test/wire/openai-responses/call-ids-that-change.sse', import.meta.url);
    const stream = readFileSync(file, 'utf8');

    expect(sent(read(stream))).toMatchObject([{ type: 'function_call', call_id: 'call_a1' }]);
  });

  it('is one call, where some of its events have an index and others not', () => {
    const [added, done] = [call({ arguments: '' }), call()].map(({ id: _id, ...item }) => item);
    const events = [
      { type: 'response.output_item.added', item: added },
      { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{"a":1}' },
      { type: 'response.output_item.done', output_index: 1, item: done },
    ];

    expect(sent(replyOf([], events))).toEqual([done]);
    expect(sent(replyOf([], events.slice(0, 2)))).toMatchObject([{ call_id: 'call_1', arguments: '{"a":1}' }]);
  });

  it('is as many calls as were ended, where their ids change and they share an index', () => {
    const event = (type: string, id: string, input = '') => {
      return {
        type: `response.output_item.${type}`,
        output_index: 0,
        item: call({ id, call_id: id, arguments: input }),
      };
    };
    const events = [
      event('added', 'a'),
      event('added', 'b'),
      event('done', 'c', '{"a":1}'),
      event('done', 'd', '{"a":2}'),
    ];

    expect(sent(replyOf([], events))).toMatchObject([
      { call_id: 'c', arguments: '{"a":1}' },
      { call_id: 'd', arguments: '{"a":2}' },
    ]);
  });
});

describe('a response that failed', () => {
  it('gives the reason that there is, when the error is empty', () => {
    const failed = (response: object) => () =>
      replyFrom([{ type: 'response.failed', response: { status: 'failed', error: null, ...response } }]);

    expect(failed({ incomplete_details: { reason: 'too_hot' } })).toThrow(/too_hot/);
    expect(failed({})).toThrow(/no reason given/);
  });
});
