import { test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { leases, schedule } from '../support/engine-schedules.ts';
import { faultsAfter, givingUp, type Step } from '../support/engine-world.ts';

describe('a session that is served by an engine', () => {
  test.prop([schedule, leases], { numRuns: 25 })(
    'has every accepted message once in its log, and one answer to it, whatever fails, leaves or is lost',
    async (steps, held) => {
      expect(await faultsAfter(steps, { leases: held })).toEqual([]);
    },
  );

  it('is found unanswered when its engine gives up (control)', async () => {
    const send = { type: 'send', session: 0, tool: true, later: false, asked: true } as const;
    const failing: Step[] = [send, { type: 'fail', after: 2, times: 1 }];

    expect(await faultsAfter(failing, { leases: [true] })).toEqual([]);
    expect(await faultsAfter(failing, { leases: [true], make: givingUp, patienceMs: 50 })).not.toEqual([]);
  });
});
