import fc from 'fast-check';
import type { Step } from './engine-world.ts';

const session = fc.nat({ max: 2 });
const send = fc.record({
  type: fc.constant('send' as const),
  session,
  tool: fc.boolean(),
  later: fc.boolean(),
  asked: fc.boolean(),
});
const fail = fc.record({ type: fc.constant('fail' as const), after: fc.nat({ max: 5 }), times: fc.nat({ max: 3 }) });

/** What happens while sessions are served, in any order. */
export const schedule: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: send },
    { weight: 5, arbitrary: fc.record({ type: fc.constant('pass' as const), ticks: fc.nat({ max: 250 }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('ask' as const), session }) },
    { weight: 2, arbitrary: fail },
    { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('leave' as const, 'lose' as const, 'join' as const) }) },
  ),
  { maxLength: 25, size: 'max' },
);
/** Which leases last, in turn; the others have run out at once. */
export const leases: fc.Arbitrary<boolean[]> = fc.array(fc.boolean(), { minLength: 1, maxLength: 5 });
