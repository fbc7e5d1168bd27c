import { describe, expect, it } from 'vitest';
import { type CompactionRecord, compacted } from './compacted.ts';
import { userMessage } from './message.ts';

const [first, second, third, fourth] = ['1', '2', '3', '4'].map((text) => userMessage(text)) as [
  ReturnType<typeof userMessage>,
  ReturnType<typeof userMessage>,
  ReturnType<typeof userMessage>,
  ReturnType<typeof userMessage>,
];
const record = (more: Partial<CompactionRecord> = {}): CompactionRecord => ({
  type: 'compaction',
  id: 'summary',
  createdAt: '2030-01-01T00:00:00.000Z',
  summary: 'What was said.',
  keptFrom: fourth.id,
  tokensBefore: 100,
  ...more,
});

describe('compacted', () => {
  it('puts the summary in the place of what is older than the first message kept', () => {
    expect(compacted([first, second, third, fourth], record())).toEqual([
      {
        id: 'summary',
        createdAt: '2030-01-01T00:00:00.000Z',
        role: 'user',
        content: [{ type: 'text', text: 'What was said.' }],
      },
      fourth,
    ]);
  });

  it('keeps pinned messages in their order, whatever order the record names them in', () => {
    const view = compacted([first, second, third, fourth], record({ pinned: [third.id, first.id, 'unknown'] }));

    expect(view.slice(1)).toEqual([first, third, fourth]);
  });

  it('replaces nothing when the first message kept is not there', () => {
    const messages = [first, second];

    expect(compacted(messages, record({ pinned: [first.id] }))).toBe(messages);
  });
});
