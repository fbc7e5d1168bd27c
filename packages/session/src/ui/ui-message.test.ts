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
    const { messageId: _, ...failed } = live({
      type: 'result',
      subtype: 'error',
      messageId: 'asked',
      usage,
      error: '',
    });
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

describe('tools of the service', () => {
  const step = (state: 'called' | 'done' | 'failed', id = 's1') =>
    live({ type: 'service_tool', name: 'web_search', id, state, input: { query: 'x' } }, { messageId: 'm1' });
  const recorded = (state: 'done' | 'failed') => {
    const told = reply('Found.');
    if (told.event.type !== 'message' || told.event.message.role !== 'assistant') throw new Error('no reply');
    const serviceTool = { name: 'web_search', id: 's1', state, input: { query: 'x' } };
    const content = [{ type: 'thinking', text: '', serviceTool } as const, ...told.event.message.content];
    return { ...told, event: { ...told.event, message: { ...told.event.message, content } } };
  };

  it.each([
    ['done', 'tool-output-available'],
    ['failed', 'tool-output-error'],
  ] as const)('are calls that the service has executed: %s', (state, output) => {
    const message = new UIMessage();
    const chunks = [run, step('called'), step(state)].flatMap((event) => message.chunksOf(event));

    const of = { toolCallId: 's1', providerExecuted: true };
    expect(chunks.filter((chunk) => 'toolCallId' in chunk)).toEqual([
      expect.objectContaining({ type: 'tool-input-available', toolName: 'web_search', ...of }),
      expect.objectContaining({ type: 'tool-input-available', ...of }),
      expect.objectContaining({ type: output, ...of }),
    ]);
  });

  it('have the files that were written as their output, also where only the message names them', () => {
    const message = new UIMessage();
    const { event, ...where } = recorded('done');
    const { content, ...reply } = event.message;
    const [first, ...rest] = content;
    const files = [{ id: 'cntr_1/cfile_2', name: 'a.csv' }];
    const written = { ...first!, serviceTool: { name: 'code', id: 's1', state: 'done' as const, files } };
    const told = { ...where, event: { ...event, message: { ...reply, content: [written, ...rest] } } } as SessionEvent;

    const chunks = [run, step('done'), told].flatMap((one) => message.chunksOf(one));

    expect(chunks.flatMap((chunk) => (chunk.type === 'tool-output-available' ? [chunk.output] : []))).toEqual([
      '',
      { files },
    ]);
  });

  it('have no place without an id', () => {
    const event = { type: 'service_tool', name: 'code_execution', state: 'done' } as const;

    expect(typesOf([run, live(event, { messageId: 'm1' })])).toBe('start start-step');
  });

  it('are told once, by the reply when they were missed', () => {
    const found = live({ type: 'content', delta: 'Found.' }, { messageId: 'm1' });

    expect(typesOf([run, step('called'), step('done'), found, recorded('done')])).toBe(
      'start start-step tool-input-available tool-input-available tool-output-available text-start text-delta text-end',
    );
    expect(typesOf([run, recorded('failed')])).toBe(
      'start start-step text-start text-delta text-end tool-input-available tool-output-error',
    );
  });
});
