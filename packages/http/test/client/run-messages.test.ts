import type { AssistantMessage } from '@x/core';
import type { SessionEvent } from '@x/session';
import { describe, expect, it } from 'vitest';
import { RunMessages } from '../../src/client/run-messages.ts';

const told = (event: SessionEvent['event'], more: Partial<SessionEvent> = {}): SessionEvent => ({
  cursor: '1',
  at: 0,
  sessionId: 's',
  agentPath: [],
  messageId: 'm',
  event,
  ...more,
});
const usage = { inputTokens: 3, outputTokens: 2, totalTokens: 5 };
const reply = (text: string): SessionEvent['event'] => ({
  type: 'message',
  message: {
    id: 'm',
    role: 'assistant',
    createdAt: '2026-01-01T00:00:00.000Z',
    provider: 'p',
    model: 'x',
    stopReason: 'end',
    usage,
    content: [
      { type: 'thinking', text: 'Hm.' },
      { type: 'text', text },
    ],
  } satisfies AssistantMessage,
});

describe('RunMessages', () => {
  it('tells the pictures of a reply behind its text, and before its calls', () => {
    const made = reply('Here.');
    if (made.type !== 'message' || made.message.role !== 'assistant') throw new Error('It is a reply');
    const picture = { type: 'image', mediaType: 'image/png', data: 'YQ==' } as const;
    const call = { type: 'tool_use', id: 'c', name: 'echo', input: {} } as const;
    const content = [{ ...picture, providerData: { provider: 'p', data: {} } }, ...made.message.content, call];

    const messages = new RunMessages(false).messagesOf(told({ ...made, message: { ...made.message, content } }));

    expect(messages).toEqual([{ type: 'content', delta: 'Here.' }, picture, call]);
  });

  it.each([true, false])('tells what the model thinks only when it is asked to: %s', (includeThinking) => {
    const messages = new RunMessages(includeThinking).messagesOf(told({ type: 'thinking', delta: 'Hm.' }));

    expect(messages).toEqual(includeThinking ? [{ type: 'thinking', delta: 'Hm.' }] : []);
  });

  it.each([
    ['nothing was told', [], 'Yes, sir.'],
    ['its beginning was told', ['Yes', ', '], 'sir.'],
    ['all was told', ['Yes, ', 'sir.'], undefined],
    ['a handler has changed it', ['No'], undefined],
  ])('tells the rest of a reply of which %s', (_what, deltas, rest) => {
    const run = new RunMessages(false);
    for (const delta of deltas) run.messagesOf(told({ type: 'content', delta }));

    expect(run.messagesOf(told(reply('Yes, sir.')))).toEqual(
      rest === undefined ? [] : [{ type: 'content', delta: rest }],
    );
  });

  it('counts the tokens of one run, those of subagents too, which it does not tell', () => {
    const run = new RunMessages(false);
    run.messagesOf(told(reply('Before.')));
    run.messagesOf(told({ type: 'run_started', runId: 'r', messageId: 'm', model: 'x' }));

    expect(run.messagesOf(told(reply('Below.'), { agentPath: ['c'] }))).toEqual([]);
    run.messagesOf(told(reply('Own.')));

    expect(run.usage).toEqual({ inputTokens: 6, outputTokens: 4, totalTokens: 10 });
  });

  it('tells the error of a failed run before its result, with the facts that are known', () => {
    const result = { type: 'result', subtype: 'error', messageId: 'm', usage, error: 'No', code: 'X' } as const;

    expect(new RunMessages(false).messagesOf(told(result))).toEqual([
      { type: 'error', message: 'No', code: 'X' },
      result,
    ]);
    expect(
      new RunMessages(false).messagesOf(told({ type: 'result', subtype: 'aborted', messageId: 'm', usage })),
    ).toHaveLength(1);
  });
});
