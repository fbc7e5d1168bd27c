import { userMessage } from '@x/core';
import { describe, expect, it } from 'vitest';
import { backlogOf, sentAt, unservedSince } from './backlog.ts';

const now = Date.parse('2026-11-28T12:00:00Z');
const message = (createdAt: string) => ({ message: { ...userMessage('Hi'), createdAt }, priority: 'next' }) as never;
const sent = message('2026-11-28T11:59:50Z');

describe('unservedSince', () => {
  it.each([
    ['nothing to do', { run: null, updatedAt: 0, items: [] }, undefined],
    ['a message', { run: null, updatedAt: 0, items: [sent] }, now - 10_000],
    ['a message whose sender has no clock', { run: null, updatedAt: 0, items: [message('soon')] }, now],
    ['a run that was cut off', { run: 'open', updatedAt: now - 5_000, items: [] }, now - 5_000],
    ['both, of which the first counts', { run: 'open', updatedAt: now - 5_000, items: [sent] }, now - 10_000],
    ['a question that is open', { run: 'waiting', updatedAt: 0, items: [] }, undefined],
    ['a question that has expired', { run: 'waiting', until: now - 1_000, updatedAt: 0, items: [] }, now - 1_000],
    ['a question that will expire', { run: 'waiting', until: now + 1_000, updatedAt: 0, items: [] }, undefined],
  ] as const)('of a session with %s', (_, facts, since) => {
    expect(unservedSince(facts, now)).toBe(since);
  });
});

describe('backlogOf', () => {
  it('counts a session once, and knows the first', () => {
    const found = [
      { sessionId: 'a', since: now - 1 },
      { sessionId: 'b', since: now - 7 },
      { sessionId: 'a', since: now - 3 },
    ];

    expect(backlogOf(found, now)).toEqual({ sessions: 2, oldestMs: 7 });
    expect(backlogOf([], now)).toEqual({ sessions: 0, oldestMs: 0 });
    expect(sentAt(message(''), now)).toBe(now);
  });
});
