import type { AgentEvent, RunRecord } from '@x/core';
import { describe, expect, it } from 'vitest';
import type { LiveEvent } from './live-event.ts';
import { Teller } from './teller.ts';

const at = 0;
const begin = { type: 'reply_started', id: 'a' } as const;
const piece = (delta: string) => ({ type: 'content', delta }) as const;

/** A teller of a run that is told events of another process. */
function told() {
  const teller = new Teller('s', { at: String, read: Number });
  teller.tell({ seq: 1, at, epoch: 2, body: { type: 'run_started', runId: 'r', messageId: 'm', model: 'x' } });
  const live = (event: LiveEvent['event'], { after = 1, epoch = 2, seq }: Partial<LiveEvent & { seq: number }> = {}) =>
    teller.live({ after, at: 0, epoch, event }, seq ?? after).map((one) => one.event.type);
  const record = (seq: number, one: unknown) =>
    teller.tell({ seq, at, epoch: 2, body: { type: 'record', scope: [], record: one as RunRecord } }); // safe: all of it that is read
  const end = (seq: number) => teller.tell({ seq, at, epoch: 2, body: { type: 'run_left', runId: 'r' } });
  return { live, record, end };
}

describe('live events of another process', () => {
  it('of an owner that was followed by another are not told', () => {
    const { live } = told();

    const older = [live(begin, { epoch: 1 }), live(piece('x'), { epoch: 1 })];
    const own = [live(begin), live(piece('x')), live(piece('y'), { epoch: 1 }), live(piece('z'))];

    expect([older, own]).toEqual([
      [[], []],
      [[], ['text_start', 'content'], [], ['content']],
    ]);
  });

  it('that come late are told if they are pieces of a reply without a record, or of a call that runs', () => {
    const { live, record } = told();
    const late = (event: AgentEvent) => live(event, { after: 1, seq: 2 });
    const progress = { type: 'tool_progress', id: 'c', delta: 'x' } as const;
    record(2, { type: 'tool_started', callId: 'c' });
    live(begin);

    const before = [late(piece('x')), late(progress), late({ type: 'turn_end', turn: 1 })];
    record(3, { type: 'message', message: { id: 'a', role: 'assistant', content: [] } });
    record(4, { type: 'tool_finished', callId: 'c', durationMs: 1, result: { output: '', isError: false } });

    expect(before).toEqual([['text_start', 'content'], ['tool_progress'], []]);
    expect([late(piece('y')), late(progress)]).toEqual([[], []]);
  });

  it('that come late begin a reply only while no record can be that of it', () => {
    const { live, record } = told();
    const late = [live(begin, { after: 1, seq: 2 }), live(piece('x'), { after: 1, seq: 2 })];
    record(2, { type: 'message', message: { id: 'a', role: 'assistant', content: [] } });

    const after = [live(begin, { after: 1, seq: 2 }), live(piece('y'), { after: 1, seq: 2 })];
    const next = [live({ ...begin, id: 'b' }, { after: 2, seq: 3 }), live(piece('z'), { after: 3 })];

    expect({ late, after, next }).toEqual({
      late: [[], ['text_start', 'content']],
      after: [[], []],
      next: [[], ['text_start', 'content']],
    });
  });

  it('that come after the end of their run are not told', () => {
    const { live, end, record } = told();
    record(2, { type: 'message', message: { id: 'a', role: 'assistant', content: [] } });
    end(3);

    expect([live(begin, { after: 1, seq: 3 }), live(piece('x'), { after: 1, seq: 3 })]).toEqual([[], []]);
  });

  it('of which some were missed go on with the next reply; the text is ended as ever', () => {
    const { live, record } = told();
    live(begin);
    const before = live(piece('x'));

    const after = [live({ type: 'missed' }), live(piece('z')), live({ type: 'turn_end', turn: 1 })];
    const ended = record(2, { type: 'message', message: { id: 'a', role: 'assistant', content: [] } });

    expect([before, after]).toEqual([
      ['text_start', 'content'],
      [[], [], ['turn_end']],
    ]);
    expect(ended.map(({ event }) => event.type)).toEqual(['text_end', 'message']);
    expect([live({ ...begin, id: 'b' }, { after: 2 }), live(piece('n'), { after: 2 })]).toEqual([
      [],
      ['text_start', 'content'],
    ]);
  });
});
