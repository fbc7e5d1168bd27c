import { fc } from '@fast-check/vitest';
import type { AssistantMessage, Message, TokenUsage, ToolUseBlock, UserMessage } from '@x/core';
import { noUsage, toolMessage } from '@x/core/internal';

/** 2030, second by second. */
const timeOf = (second: number) => new Date(Date.UTC(2030, 0, 1) + second * 1000).toISOString();

export function said(text: string, second = 0): UserMessage {
  return { id: crypto.randomUUID(), createdAt: timeOf(second), role: 'user', content: [{ type: 'text', text }] };
}

export interface ReplyParts {
  readonly text?: string;
  readonly calls?: readonly string[];
  readonly second?: number;
  readonly usage?: Partial<TokenUsage>;
}

/** A reply of a model; `calls` are the outputs its calls will have. */
export function replied({ text = '', calls = [], second = 0, usage }: ReplyParts = {}): AssistantMessage {
  const uses = calls.map((_, index): ToolUseBlock => {
    return { type: 'tool_use', id: `${crypto.randomUUID()}-${index}`, name: 'Read', input: { index } };
  });
  return {
    id: crypto.randomUUID(),
    createdAt: timeOf(second),
    role: 'assistant',
    content: [{ type: 'text', text }, ...uses],
    provider: 'p',
    model: 'm',
    usage: { ...noUsage(), ...usage },
    stopReason: uses.length > 0 ? 'tool_use' : 'end',
  };
}

/** A reply and, where it has calls, the answers to them. */
export function answered(parts: ReplyParts): Message[] {
  const reply = replied(parts);
  const { calls = [] } = parts;
  const answers = calls.map((output) => ({ output, isError: false }));
  return calls.length === 0 ? [reply] : [reply, toolMessage(reply, answers)];
}

/** One long turn: a task, then `count` calls with outputs of `size` characters. */
export function longTurn(count: number, size: number, usage?: Partial<TokenUsage>): Message[] {
  const calls = Array.from({ length: count }, (_, index) =>
    answered({ calls: [`${index}`.padEnd(size, '.')], second: index + 1, ...(usage ? { usage } : {}) }),
  );
  return [said('Do the task.'), ...calls.flat()];
}

const text = fc.string({ maxLength: 200, size: 'max' });
const step = fc.record({ text, calls: fc.array(text, { maxLength: 3 }) });
const turn = fc.record({
  said: fc.array(text, { minLength: 1, maxLength: 2 }),
  steps: fc.array(step, { maxLength: 4 }),
});

/** Valid histories: user messages, then replies whose calls are all answered, and so on. */
export const histories: fc.Arbitrary<readonly Message[]> = fc
  .array(turn, { minLength: 1, maxLength: 8 })
  .map((turns) => {
    let second = 0;
    return turns.flatMap(({ said: words, steps }) => [
      ...words.map((one) => said(one, second++)),
      ...steps.flatMap((parts) => answered({ ...parts, second: second++ })),
    ]);
  });
