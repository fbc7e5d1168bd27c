import type { Question } from '@x/core';
import { describe, expect, it } from 'vitest';
import type { FollowedEvent, SessionEvent } from '../follow/session-event.ts';
import { AGUIRun } from './ag-ui-run.ts';
import { answersTo } from './index.ts';

const place = { cursor: '1.0', at: 0, sessionId: 's', runId: 'r', agentPath: [], messageId: 'm1' };
const of = (event: FollowedEvent, more: Partial<SessionEvent> = {}): SessionEvent => ({ ...place, event, ...more });
const resumed = of({ type: 'run_resumed', runId: 'r' });
const reply = (text: string, more: Partial<SessionEvent> = {}, input?: unknown) =>
  of(
    {
      type: 'message',
      message: {
        id: 'm1',
        createdAt: '',
        role: 'assistant',
        content: [
          { type: 'text', text },
          ...(input === undefined ? [] : [{ type: 'tool_use' as const, id: 'c', name: 'Write', input }]),
        ],
        provider: 'p',
        model: 'm',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        stopReason: 'end',
      },
    },
    more,
  );
const question = {
  callId: 'c',
  agentPath: ['t'],
  kind: 'ask_user',
  reason: 'Asked',
  expiresAt: 0,
} as unknown as Question; // as far as it is told
/** The events of a run in a line each; it waits at the end. */
function told(events: readonly SessionEvent[], questions: readonly Question[] = []) {
  const run = new AGUIRun(undefined);
  const seen = [...events.flatMap((event) => run.chunksOf(event)), ...run.end(resumed, questions)];
  return seen.map((one) =>
    [one.subagentRunId, one.type, 'delta' in one ? one.delta : undefined].filter(Boolean).join(' '),
  );
}

describe('a reply that was told in part', () => {
  it('goes on with what is missing, of its text and of the input of a call', () => {
    const events = [
      of({ type: 'content', delta: 'I s' }),
      of({ type: 'tool_input_start', id: 'c', name: 'Write' }),
      of({ type: 'tool_input_delta', id: 'c', delta: '{"a"' }),
      of({ type: 'tool_input_delta', id: 'unknown', delta: '{' }),
      reply('I see.', {}, { a: 1 }),
    ];

    expect(told([resumed, ...events]).slice(1, -1)).toEqual([
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT I s',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS {"a"',
      'TEXT_MESSAGE_CONTENT ee.',
      'TEXT_MESSAGE_END',
      'TOOL_CALL_ARGS :1}',
      'TOOL_CALL_END',
    ]);
  });

  it('keeps the input that the model has written, and follows with the text that a handler has changed', () => {
    const events = [
      of({ type: 'thinking', delta: 'Hm' }),
      of({ type: 'content', delta: 'A secret.' }),
      of({ type: 'tool_input_start', id: 'c', name: 'Write' }),
      of({ type: 'tool_input_delta', id: 'c', delta: '{ "a": 1 }' }),
      reply('A ***.', {}, { a: 1 }),
    ];

    expect(told([resumed, ...events]).slice(5, -1)).toEqual([
      'TEXT_MESSAGE_CONTENT A secret.',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS { "a": 1 }',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'TEXT_MESSAGE_END',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT A ***.',
      'TEXT_MESSAGE_END',
      'TOOL_CALL_END',
    ]);
  });

  it('ends where its process has ended, and is no part of another run', () => {
    const events = [
      of({ type: 'content', delta: 'I s' }),
      resumed,
      of({ type: 'content', delta: 'x' }, { runId: 'other' }),
    ];

    expect(told([resumed, ...events])).toEqual([
      'RUN_STARTED',
      'TEXT_MESSAGE_START',
      'TEXT_MESSAGE_CONTENT I s',
      'TEXT_MESSAGE_END',
      'RUN_FINISHED',
    ]);
  });
});

describe('what stands around replies', () => {
  it('tells progress and notices as CUSTOM, and nothing without a run', () => {
    const { runId: _, ...before } = of({ type: 'notification', kind: 'k', message: 'early' });
    const events = [
      before,
      of({ type: 'notification', kind: 'retry', message: 'again' }),
      of({ type: 'tool_progress', id: 'c', delta: 'bit' }),
      of({ type: 'service_tool', name: 'web_search', id: 's', state: 'done' }, { messageId: 'm1' }),
    ];

    const run = new AGUIRun(undefined);
    expect(events.flatMap((event) => run.chunksOf(event)).slice(1)).toMatchObject([
      { type: 'CUSTOM', name: 'notification', value: { kind: 'retry', message: 'again' } },
      { type: 'CUSTOM', name: 'tool_progress', value: { toolCallId: 'c', delta: 'bit' } },
      {
        type: 'CUSTOM',
        name: 'service_tool',
        value: { messageId: 'm1', name: 'web_search', id: 's', state: 'done' },
      },
    ]);
  });

  it('begins each agent within its parent, suspends them while the run waits, and asks with the id of the call', () => {
    const inner = { agentPath: ['t', 'u'] };
    const events = [of({ type: 'content', delta: 'Hm.' }, inner)];
    const run = new AGUIRun(undefined);
    const begun = events.flatMap((event) => run.chunksOf(event));
    const ended = run.end(resumed, [question]);

    expect(begun.slice(1, 3)).toMatchObject([
      { type: 'SUBAGENT_STARTED', subagentRunId: 't', name: 'subagent', parentToolCallId: 't' },
      { type: 'SUBAGENT_STARTED', subagentRunId: 't/u', parentToolCallId: 't/u', parentSubagentRunId: 't' },
    ]);
    expect(ended).toMatchObject([
      { type: 'TEXT_MESSAGE_END', subagentRunId: 't/u' },
      { type: 'SUBAGENT_FINISHED', subagentRunId: 't/u', outcome: { type: 'suspended' } },
      { type: 'SUBAGENT_FINISHED', subagentRunId: 't', outcome: { type: 'suspended' } },
      { type: 'RUN_FINISHED', outcome: { type: 'interrupt', interrupts: [{ id: 'c', reason: 'input_required' }] } },
    ]);
    expect(ended.at(-1)).toMatchObject({
      outcome: { interrupts: [{ toolCallId: 't/c', subagentRunId: 't', expiresAt: '1970-01-01T00:00:00.000Z' }] },
    });
  });

  it('ends a subagent with the result of its call, and what it has left open', () => {
    const result = of({ type: 'tool_result', id: 't', name: 'Task', output: 'Cut.', isError: true }, { callId: 't' });

    const own = of({ type: 'thinking', delta: 'Hm.' }, { messageId: 'm2' });
    const inner = of({ type: 'content', delta: 'Hm.' }, { agentPath: ['t'] });
    expect(told([own, inner, result]).slice(-6)).toEqual([
      't TEXT_MESSAGE_END',
      't SUBAGENT_FINISHED',
      'TOOL_CALL_RESULT',
      'REASONING_MESSAGE_END',
      'REASONING_END',
      'RUN_FINISHED',
    ]);
  });

  it('ends with an error that has no words, and leaves out what is no reply', () => {
    const { event } = reply('x');
    const ofTool = { ...event, message: { id: 'm', createdAt: '', role: 'tool', content: [] } } as FollowedEvent;
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const result = of({ type: 'result', subtype: 'error', messageId: 'm', usage, error: '' });

    expect(told([resumed, of(ofTool), reply('', {}, null), result])).toEqual([
      'RUN_STARTED',
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS null',
      'TOOL_CALL_END',
      'RUN_ERROR',
    ]);
  });
});

describe('answersTo', () => {
  it('reads permissions, refusals with their reason, answers to the model, and what was cancelled', () => {
    const resolved = (payload?: unknown) => ({ interruptId: 'c', status: 'resolved', payload });

    const answers = answersTo([
      resolved({ approved: true }),
      resolved({ approved: false, message: 'No.' }),
      resolved({ approved: 'true' }),
      resolved({ choices: ['a'] }),
      resolved(),
      { interruptId: 'c', status: 'cancelled' },
    ]);

    expect(answers.map(({ answer }) => answer)).toEqual([
      { behavior: 'allow' },
      { behavior: 'deny', message: 'No.' },
      { behavior: 'deny' },
      { choices: ['a'] },
      {},
      { behavior: 'deny' },
    ]);
    expect(answersTo()).toEqual([]);
    expect(() => answersTo([{ interruptId: 'c', status: 'allowed' }])).toThrow(/resume\.status must be/);
  });

  it.each<[unknown]>([[null], ['x'], [{}], [[null]], [['x']], [[{ status: 'resolved' }]], [[{ interruptId: 1 }]]])(
    'refuses %j, which a browser may send',
    (resume) => {
      expect(() => answersTo(resume as [])).toThrow(
        expect.objectContaining({ code: 'VALIDATION_ERROR', field: 'resume' }),
      );
    },
  );
});
