import {
  AgentError,
  type AgentEvent,
  type AssistantMessage,
  type Model,
  type ModelRequest,
  type ModelStream,
  textOf,
} from '@x/core';
import { collect } from '@x/core/testing';
import { describe, expect, it } from 'vitest';
import { contractOf, find, reply, type Wrong } from '../../test/wrong-models.ts';

/** Each breaks one promise, and the case that bears the name must say so. */
const wrongs: readonly (readonly [what: string, broken: string, wrong: Wrong])[] = [
  [
    'loses a delta',
    'yields text',
    async function* (right, request) {
      const stream = right.stream(request);
      await stream.next();
      return yield* stream;
    },
  ],
  [
    'says a delta twice when the text comes in pieces',
    'text: reads the same message and the same deltas',
    async function* (right, request, { number }) {
      const stream = right.stream(request);
      const first = await stream.next();
      if (first.done) return first.value;
      yield first.value;
      if (number > 1) yield first.value;
      return yield* stream;
    },
  ],
  ['calls its own name', 'yields text', changed((message) => ({ ...message, model: 'other' }))],
  ['miscounts', 'yields text', changed((m) => ({ ...m, usage: { ...m.usage, totalTokens: 1 } }))],
  [
    'estimates what was reported',
    'yields text',
    changed((message) => ({ ...message, usage: { ...message.usage, estimated: true } })),
  ],
  [
    'leaves the input a text',
    'returns a call with its input parsed',
    changedBlocks((block) => (block.type === 'tool_use' ? { ...block, input: JSON.stringify(block.input) } : block)),
  ],
  [
    'gives two calls one id',
    'returns parallel calls',
    changedBlocks((block) => (block.type === 'tool_use' ? { ...block, id: 'call_1' } : block)),
  ],
  ['ends everything well', 'says that the length limit', changed((message) => ({ ...message, stopReason: 'end' }))],
  [
    'takes no for an answer',
    'says that a reply is a refusal',
    changed((message) => ({ ...message, stopReason: 'end' })),
  ],
  ['drops thinking', 'streams thinking', withEvents((event) => event.type !== 'thinking')],
  [
    'drops thinking from the message',
    'streams thinking',
    changed((m) => ({ ...m, content: m.content.filter((block) => block.type !== 'thinking') })),
  ],
  ['thinks after it has spoken', 'streams thinking', changed((m) => ({ ...m, content: m.content.toReversed() }))],
  [
    'gives no input when there is none',
    'gives a call without arguments an empty input',
    changedBlocks((block) => (block.type === 'tool_use' ? { ...block, input: '' } : block)),
  ],
  [
    'counts cached tokens apart',
    'counts cached tokens',
    changed((m) => ({ ...m, usage: { ...m.usage, inputTokens: m.usage.inputTokens - 64 - 60 } })),
  ],
  ['hides cached tokens', 'counts cached tokens', changed((m) => ({ ...m, usage: withoutCache(m.usage) }))],
  [
    'returns a structured answer as a call',
    'returns an answer of a given form',
    changed((m) => ({
      ...m,
      content: [{ type: 'tool_use', id: 'c', name: 'answer', input: {} }],
      stopReason: 'tool_use',
    })),
  ],
  [
    'forgets a character on a split',
    'reads the same message from pieces of 1 bytes',
    changed((m, { number }) => (number % 2 ? m : { ...m, content: [{ type: 'text', text: textOf(m).slice(1) }] })),
  ],
  ['reads line by line as they come', 'text: reads the same message and the same deltas', naive],
  ['takes every line for data', 'text: does not mind keep-alives', naive],
  [
    'returns what JSON cannot carry',
    'text: returns plain JSON',
    changed((message) => ({ ...message, usage: { ...message.usage, cacheWriteTokens: Number.NaN } })),
  ],
  [
    'keeps what it wants back in an object that JSON flattens',
    'text: returns plain JSON',
    changedBlocks((block) => ({ ...block, providerData: { provider: 'p', data: new Map([[1, 2]]) } })),
  ],
  [
    'refuses its own reply',
    'call: returns plain JSON',
    (right, request) => {
      if (request.messages.length > 1) throw new AgentError('no', 'MODEL_ERROR');
      return right.stream(request);
    },
  ],
];

describe('a wrong model', () => {
  it.each(wrongs)('that %s fails: %s', async (_what, broken, wrong) => {
    await expect(find(contractOf(wrong), broken).run()).rejects.toBeInstanceOf(Error);
  });
});

function changed(change: (message: AssistantMessage, call: { readonly number: number }) => AssistantMessage): Wrong {
  return async function* (right, request, call) {
    return change(yield* right.stream(request), call);
  };
}

function changedBlocks(
  change: (block: AssistantMessage['content'][number]) => AssistantMessage['content'][number],
): Wrong {
  return changed((message) => ({ ...message, content: message.content.map(change) }));
}

function withEvents(keep: (event: AgentEvent) => boolean): Wrong {
  return async function* (right, request) {
    const { events, value } = await collect(right.stream(request));
    yield* events.filter(keep);
    return value;
  };
}

function withoutCache({ cacheReadTokens: _, ...usage }: AssistantMessage['usage']): AssistantMessage['usage'] {
  return usage;
}

/** An adapter as one writes it in five minutes: every read is lines, every line is an event. */
async function* naive(_right: Model, { signal }: ModelRequest, { url }: { readonly url: string }): ModelStream {
  const response = await fetch(url, { method: 'POST', body: '{}', signal });
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of response.body ?? []) {
    for (const line of decoder.decode(bytes).split('\n')) {
      const data = line.replace(/^data: /, '');
      if (data === '' || data === '[DONE]' || data === ': keep-alive') continue;
      const chunk = JSON.parse(data) as { choices?: readonly { delta?: { content?: string } }[] };
      const delta = chunk.choices?.[0]?.delta?.content ?? '';
      if (delta !== '') yield { type: 'content', delta };
      text += delta;
    }
  }
  return reply([{ type: 'text', text }]);
}
