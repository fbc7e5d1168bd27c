import { describe, expect, it } from 'vitest';
import { Notices } from './notices.ts';

describe('Notices', () => {
  it('keeps the last 50 different ones, a repeated one as the newest', () => {
    const notices = new Notices();
    const add = (message: string) => notices.add({ type: 'notification', kind: 'odd', message });
    expect(notices.checks).toEqual([]);

    for (let number = 1; number <= 51; number++) add(`${number}`);
    add('2');

    const kept = notices.checks.map(({ detail }) => detail);
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([50, '3', '2']);
  });
});
