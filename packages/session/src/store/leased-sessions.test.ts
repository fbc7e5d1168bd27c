import { describe, expect, it } from 'vitest';
import { LeasedSessions } from './leased-sessions.ts';

const leased = (number: number, epoch = 1) => ({ number, epoch, head: 1 });

describe('LeasedSessions', () => {
  it('forgets a session with the lease it was found by, and not with an older one', () => {
    const sessions = new LeasedSessions();
    sessions.add('s', leased(1, 2));

    sessions.leave({ sessionId: 's', epoch: 1 });
    const after = sessions.find('s');
    sessions.leave({ sessionId: 's', epoch: 2 });

    expect(after).toEqual(leased(1, 2));
    expect(sessions.find('s')).toBeUndefined();
  });

  it('stays small when leases are never given back: the one that was taken first is forgotten', () => {
    const sessions = new LeasedSessions();

    for (let number = 1; number <= 10_000; number++) sessions.add(`s${number}`, leased(number));
    sessions.add('s1', leased(1, 2)); // taken once more
    sessions.add('one more', leased(10_001));

    expect(sessions.find('s1')).toEqual(leased(1, 2));
    expect(sessions.find('s2')).toBeUndefined();
    expect(sessions.find('s3')).toEqual(leased(3));
    expect(sessions.find('one more')).toEqual(leased(10_001));
  });
});
