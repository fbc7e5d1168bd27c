import { checkKeys } from '@x/core/internal';
import type { ContractCase } from '@x/core/testing';
import { inTime } from '../in-time.ts';
import { appendCases } from './append-cases.ts';
import { backlogCases } from './backlog-cases.ts';
import { besideCases } from './beside-cases.ts';
import { commandCase } from './command-case.ts';
import { immediateCases } from './immediate-cases.ts';
import { inboxCases } from './inbox-cases.ts';
import { lastingCases } from './lasting-cases.ts';
import { leaseCases } from './lease-cases.ts';
import { listCases } from './list-cases.ts';
import { logCases } from './log-cases.ts';
import { sessionCases } from './session-cases.ts';
import { stateCases } from './state-cases.ts';
import type { StoreUnderTest } from './store-under-test.ts';

/** Options of `storeContract`. */
export interface StoreContractOptions {
  /** Default true. False leaves out the cases that open the sessions a second time, for a store whose sessions end with it. */
  readonly lasting?: boolean;
  /**
   * Number of random command sequences, played against the store and a model of it. Default 50. They need the package `fast-check`; 0
   * leaves them out.
   */
  readonly commandRuns?: number;
  /** The seed of these sequences, to replay a failure; the failure's message names it. Default: a different one each time. */
  readonly seed?: number;
  /** Milliseconds that one case, or one sequence of commands, may take before it counts as broken. Default 20000. */
  readonly patienceMs?: number;
}

/**
 * The promises every `SessionStore` keeps, for any test runner: `for (const item of storeContract(make)) it(item.name, item.run)`.
 * `make` gives a fresh, empty store each time; the case disposes of it. One case changes `Date.now` for a moment, so cases should
 * not run at the same time in one process. @throws ValidationError for an unknown option
 */
export function storeContract(
  make: () => StoreUnderTest | Promise<StoreUnderTest>,
  given: StoreContractOptions = {},
): ContractCase[] {
  checkKeys('The options', given, ['lasting', 'commandRuns', 'seed', 'patienceMs']);
  const { lasting = true, commandRuns = 50, seed, patienceMs = 20_000 } = given;
  const cases = [
    ...logCases,
    ...appendCases,
    ...leaseCases,
    ...inboxCases,
    ...besideCases,
    ...listCases,
    ...sessionCases,
    ...stateCases,
    ...backlogCases,
    ...immediateCases,
    ...(lasting ? lastingCases : []),
  ];
  const options = { runs: commandRuns, patienceMs, ...(seed === undefined ? {} : { seed }) };
  return [
    ...cases.map(([name, check]) => ({
      name,
      async run() {
        const under = await make();
        try {
          await inTime(check(under.store, under), patienceMs);
        } finally {
          await under.store[Symbol.asyncDispose]();
          await under.dispose?.();
        }
      },
    })),
    ...(commandRuns > 0 ? [commandCase(make, options)] : []),
  ];
}
