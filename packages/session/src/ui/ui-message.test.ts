import { describe, expect, it } from 'vitest';
import type { SessionEvent } from '../follow/session-event.ts';
import { UIMessage } from './ui-message.ts';

const place = { cursor: '1.0', at: 0, sessionId: 's', runId: 'r', agentPath: [], messageId: 'asked' };
const run = { ...place, event: { type: 'run_started', runId: 'r', messageId: 'asked', model: 'm' } } as const;
const live = (event: SessionEvent['event'], more: Partial<SessionEvent> = {}): SessionEvent => ({
  ...place,
  event,
  ...more,
});
const reply = (text: string, id = 'm1') =>
  live(
    {
      type: 'message',
      message: {
        id,
        createdAt: '',
        role: 'assistant',
        content: [{ type: 'text', text }],
        provider: 'p',
        model: 'm',
        usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
        stopReason: 'end',
      },
    },
    { messageId: id },
  );
const typesOf = (events: readonly SessionEvent[]) => {
  const message = new UIMessage();
  return events.flatMap((event) => message.chunksOf(event).map(({ type }) => type)).join(' ');
};

describe('a message that is told with gaps', () => {
  it('tells a text again whose middle was missed', () => {
    const piece = live({ type: 'content', delta: 'I s' }, { messageId: 'm1' });

    expect(typesOf([run, piece, reply('I see.')])).toBe(
      'start start-step text-start text-delta reset-step text-start text-delta text-end',
    );
  });

  it('has no step before the first reply, not even when its run fails without a word', () => {
    const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    const { messageId: _, ...failed } = live({ type: 'result', subtype: 'error', messageId: 'asked', usage });
    const message = new UIMessage();
    const chunks = [run, failed].flatMap((event) => message.chunksOf(event));

    expect([...chunks, ...message.end(failed)].map(({ type }) => type)).toEqual(['start', 'finish', 'error']);
  });

  it('has nothing of messages that are no replies', () => {
    const { event } = reply('x');
    const ofTool = {
      ...event,
      message: { id: 'm', createdAt: '', role: 'tool', content: [] },
    } as SessionEvent['event'];

    expect(typesOf([run, live(ofTool)])).toBe('start');
  });

  it('is that of its run alone, and of no subagent', () => {
    const others = [
      { ...reply('Else.', 'm2'), runId: 'another' },
      { ...reply('Inside.', 'm3'), agentPath: ['t'] },
    ];
    const { runId: _, ...withoutRun } = live({ type: 'notification', kind: 'k', message: 'm' });

    expect(typesOf([withoutRun, run, ...others])).toBe('start');
  });

  it('begins another step with each reply, and has no text where there is none', () => {
    expect(typesOf([run, reply('One.'), reply('', 'm2'), reply('Three.', 'm3')])).toBe(
      'start start-step text-start text-delta text-end finish-step start-step finish-step start-step text-start text-delta text-end',
    );
  });
});
