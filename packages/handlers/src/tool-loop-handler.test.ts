import {
  type AssistantMessage,
  type Message,
  type SessionError,
  type ToolUseBlock,
  userMessage,
  ValidationError,
} from '@x/core';
import { noUsage, toolMessage } from '@x/core/internal';
import { describe, expect, it } from 'vitest';
import { journaledRun } from '../test/journaled-run.ts';
import { toolLoopHandler } from './tool-loop-handler.ts';

interface Answered {
  readonly name?: string;
  readonly input?: unknown;
  readonly output?: string;
  readonly isError?: boolean;
}

/** A reply with these calls, and the answers to them. */
function turn(...calls: readonly Answered[]): Message[] {
  const reply: AssistantMessage = {
    id: crypto.randomUUID(),
    createdAt: new Date().toISOString(),
    role: 'assistant',
    content: calls.map(({ name = 'Bash', input = { a: 1, b: [2] } }): ToolUseBlock => {
      return { type: 'tool_use', id: crypto.randomUUID(), name, input };
    }),
    provider: 'p',
    model: 'm',
    usage: noUsage(),
    stopReason: 'tool_use',
  };
  return [
    reply,
    toolMessage(
      reply,
      calls.map(({ output = 'no such file', isError = true }) => ({ output, isError })),
    ),
  ];
}
const failures = (count: number, call: Answered = {}) => Array.from({ length: count }, () => turn(call)).flat();
const judged = (messages: readonly Message[], limit?: number) =>
  toolLoopHandler(limit ? { limit } : {}).beforeModelRewriteHistory!(messages, journaledRun().run);

describe('toolLoopHandler', () => {
  it('ends the run after five identical failures in a row, and says which', () => {
    const messages = [userMessage('Go.'), ...failures(5)];

    expect(() => judged(messages)).toThrow(
      expect.objectContaining({
        code: 'TOOL_LOOP',
        message: 'Bash failed 5 times in a row with the same input and the same error: no such file',
        details: { toolName: 'Bash', failures: 5 },
      } satisfies Partial<SessionError>),
    );
  });

  it('lets four pass', () => {
    const messages = [userMessage('Go.'), ...failures(4)];

    expect(judged(messages)).toBe(messages);
  });

  it('takes inputs for the same whose keys come in another order', () => {
    const messages = [userMessage('Go.'), ...failures(4), ...turn({ input: { b: [2], a: 1 } })];

    expect(() => judged(messages)).toThrow('5 times');
  });

  it('counts the calls of one reply in their order', () => {
    const messages = [userMessage('Go.'), ...failures(2), ...turn({}, {}, {})];

    expect(() => judged(messages)).toThrow('5 times');
  });

  it.each([
    ['a success between', turn({ isError: false })],
    ['another tool between', turn({ name: 'Read' })],
    ['another input between', turn({ input: { a: 1, b: [3] } })],
    ['another error between', turn({ output: 'permission denied' })],
    ['a success among the calls of one reply', turn({}, { isError: false }, {})],
    ['a success that comes last in its reply', turn({}, {}, { isError: false })],
    ['a word of the user between', [userMessage('Try again.')]],
  ])('begins again after %s', (_, between) => {
    const messages = [userMessage('Go.'), ...failures(3), ...between, ...failures(3)];

    expect(judged(messages)).toBe(messages);
  });

  it('leaves alone what succeeds again and again', () => {
    const messages = [userMessage('Go.'), ...failures(9, { isError: false })];

    expect(judged(messages)).toBe(messages);
  });

  it.each([[[]], [[userMessage('Go.')]]])('has nothing to say about a history without calls', (messages) => {
    expect(judged(messages)).toBe(messages);
  });

  it('takes another limit', () => {
    expect(() => judged([userMessage('Go.'), ...failures(2)], 2)).toThrow('2 times');
  });

  it.each([{ limit: 0 }, { limits: 5 }])('refuses %j', (options) => {
    expect(() => toolLoopHandler(options)).toThrow(ValidationError);
  });
});
