import { fc, test } from '@fast-check/vitest';
import { AgentError, defineTool, objectSchema, type StreamMessage, type Tool } from '@x/core';
import type { ScriptedReply } from '@x/core/testing';
import { describe, expect } from 'vitest';
import { echoTool, faultsOf, scriptedSession } from '../support/makers.ts';

const failing = defineTool({
  name: 'failing',
  description: 'Fails.',
  inputSchema: objectSchema({}),
  execute: async () => {
    throw new Error('no luck');
  },
});
const streaming = defineTool({
  name: 'streaming',
  description: 'Says more than one thing.',
  inputSchema: objectSchema({}),
  async *execute() {
    yield 'one';
    yield 'two';
  },
});
const waiting = defineTool({
  name: 'waiting',
  description: 'Ignores its signal for a moment.',
  kind: 'readonly',
  inputSchema: objectSchema({}),
  execute: async () => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return 'waited';
  },
});
const tools: Tool[] = [echoTool(), failing, streaming, waiting];

const call = fc.oneof(
  fc.record({ name: fc.constant('echo'), input: fc.record({ text: fc.string() }) }),
  fc.record({ name: fc.constantFrom('failing', 'streaming', 'waiting'), input: fc.constant({}) }),
  fc.record({ name: fc.constantFrom('unknown', 'toString', 'Bash'), input: fc.constant({ command: 'true' }) }),
  fc.record({ name: fc.constant('echo'), input: fc.oneof(fc.string(), fc.constant({ wrong: 1 }), fc.constant(null)) }),
);
/** Ids as some services give them: fresh, repeated in every reply, or none. */
const ids = fc.constantFrom('fresh', 'repeated', 'empty');
const reply = fc.record({
  text: fc.array(fc.string({ minLength: 1 }), { maxLength: 3 }),
  thinking: fc.array(fc.string({ minLength: 1 }), { maxLength: 2 }),
  calls: fc.array(call, { maxLength: 4 }),
  ids,
  fails: fc.integer({ min: 0, max: 9 }).map((dice) => dice === 0),
});
const leaving = fc.oneof(
  fc.constant({ how: 'stay' as const, at: 0 }),
  fc.record({ how: fc.constantFrom('abort' as const, 'break' as const), at: fc.integer({ min: 0, max: 25 }) }),
);

function toReply({
  text,
  thinking,
  calls,
  ids: kind,
  fails,
}: typeof reply extends fc.Arbitrary<infer T> ? T : never): ScriptedReply {
  const toolCalls = calls.map((one, index) => {
    if (kind === 'fresh') return one;
    return { ...one, id: kind === 'empty' ? '' : `call_${index % 2}` };
  });
  const error = fails ? { error: new AgentError('overloaded', { code: 'MODEL_ERROR' }) } : {};
  return { text, thinking, toolCalls, ...error };
}

describe('stream()', () => {
  test.prop([fc.array(reply, { maxLength: 4 }), leaving, fc.integer({ min: 1, max: 5 })], { numRuns: 300 })(
    'keeps its law for any script, abort and early leave',
    async (replies, { how, at }, maxTurns) => {
      const script = [...replies.map(toReply), ...Array.from({ length: 8 }, () => ({ text: 'Done.' }))];
      const { session } = await scriptedSession(script, {
        tools,
        maxTurns,
        allowedTools: [...tools.map(({ name }) => name), 'Bash'],
      });
      await session.send('Begin.');

      const events: StreamMessage[] = [];
      let left = false;
      for await (const event of session.stream({ includeThinking: true })) {
        events.push(event);
        if (events.length - 1 !== at) continue;
        if (how === 'abort') session.abort();
        if (how !== 'break') continue;
        left = true;
        break;
      }

      if (!left) expect(faultsIn(events)).toEqual([]);
      expect(faultsOf(session.messages)).toEqual([]);
      // The session is usable afterwards, and what the model sees is in order.
      await session.send('Again.');
      const again: StreamMessage[] = [];
      for await (const event of session.stream()) again.push(event);
      expect(faultsIn(again)).toEqual([]);
      expect(faultsOf(session.messages)).toEqual([]);
      await session.close();
    },
  );

  test('the law finds a stream that breaks it', () => {
    const result = {
      type: 'result',
      subtype: 'success',
      messageId: 'm',
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    } as const;
    const start = { type: 'turn_start', turn: 1, sessionId: 's', messageId: 'm' } as const;
    const use = { type: 'tool_use', id: 'a', name: 'echo', input: {} } as const;

    expect(faultsIn([start, { type: 'turn_end', turn: 1 }])).not.toEqual([]);
    expect(faultsIn([start, result])).not.toEqual([]);
    expect(faultsIn([start, use, { type: 'turn_end', turn: 1 }, result])).not.toEqual([]);
    expect(faultsIn([result, { type: 'content', delta: 'late' }])).not.toEqual([]);
    expect(faultsIn([start, { type: 'turn_end', turn: 1 }, result])).toEqual([]);
  });
});

/** What a run's events do that they must not. */
function faultsIn(events: readonly StreamMessage[]): string[] {
  const faults: string[] = [];
  const open = new Map<string, string>();
  let turn = 0;
  let inTurn = false;
  let results = 0;
  for (const event of events) {
    if (results > 0) faults.push(`${event.type} after the result`);
    if (event.type === 'turn_start') {
      if (inTurn || event.turn !== turn + 1) faults.push(`turn ${event.turn} starts in turn ${turn}`);
      turn = event.turn;
      inTurn = true;
    } else if (event.type === 'turn_end') {
      if (!inTurn || event.turn !== turn) faults.push(`turn ${event.turn} ends in turn ${turn}`);
      if (open.size > 0) faults.push(`turn ${turn} ends with calls unanswered`);
      inTurn = false;
    } else if (event.type === 'result') {
      results += 1;
      if (inTurn) faults.push('a result inside a turn');
    } else if (event.type !== 'error' && !inTurn) faults.push(`${event.type} outside of a turn`);
    if (event.type === 'tool_use') {
      if (open.has(event.id) || event.id === '') faults.push(`two calls with the id ${event.id}`);
      open.set(event.id, event.name);
    }
    if (event.type === 'tool_result') {
      if (open.get(event.id) !== event.name) faults.push(`a result without a call: ${event.id}`);
      open.delete(event.id);
    }
  }
  if (results !== 1) faults.push(`${results} results`);
  return faults;
}
