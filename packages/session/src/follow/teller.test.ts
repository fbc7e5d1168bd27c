import type { AgentEvent } from '@x/core';
import { describe, expect, it } from 'vitest';
import type { EntryBody } from '../log/entry.ts';
import { Teller } from './teller.ts';

describe('a text that nobody ends', () => {
  it.each<[string, EntryBody]>([
    ['is left', { type: 'run_left', runId: 'r' }],
    ['waits', { type: 'run_left', runId: 'r', waits: {} }],
    ['is taken up elsewhere', { type: 'run_resumed', runId: 'r' }],
  ])('is over when its run %s', (_how, body) => {
    const teller = new Teller('s', { at: String, read: Number });
    const at = 0;
    teller.tell({ seq: 1, at, epoch: 1, body: { type: 'run_started', runId: 'r', messageId: 'm', model: 'x' } });
    teller.live({ after: 1, at: 0, event: { type: 'reply_started', id: 'a' } });
    teller.live({ after: 1, at: 0, event: { type: 'content', delta: 'I th' } });

    const told = teller.tell({ seq: 2, at, epoch: 1, body });

    expect(told[0]).toMatchObject({ cursor: '1', messageId: 'a', event: { type: 'text_end', id: 'a' } });
    expect(teller.tell({ seq: 3, at, epoch: 1, body }).map(({ event }) => event.type)).not.toContain('text_end');
  });
});

describe('a text that goes on', () => {
  it('is not ended by other entries, nor by thoughts within it', () => {
    const teller = new Teller('s', { at: String, read: Number });
    const at = 0;
    const live = (event: AgentEvent) => teller.live({ after: 1, at: 0, event }).map((one) => one.event.type);
    live({ type: 'reply_started', id: 'a' });

    const begun = live({ type: 'content', delta: 'I ' });
    const thought = live({ type: 'thinking', delta: 'Hm.' });
    const titled = teller.tell({ seq: 2, at, epoch: 1, body: { type: 'title', title: 'T' } });

    expect([begun, thought, titled]).toEqual([['text_start', 'content'], ['thinking'], []]);
    expect(live({ type: 'content', delta: 'see.' })).toEqual(['content']);
  });
});
