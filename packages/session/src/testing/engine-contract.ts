import { checkKeys } from '@x/core/internal';
import type { ContractCase } from '@x/core/testing';
import type { RunEngine } from '../engine/run-engine.ts';
import { deliveryCases } from './engine-delivery-cases.ts';
import { leavingCases } from './engine-leaving-cases.ts';
import { inTime } from './in-time.ts';

/** Options of `engineContract`. */
export interface EngineContractOptions {
  /** Milliseconds that one case may take before it counts as broken. Default 10000; more for an engine that polls. */
  readonly patienceMs?: number;
}

/**
 * The promises every `RunEngine` keeps, for any test runner: `for (const item of engineContract(make)) it(item.name, item.run)`.
 * `make` returns an engine without asks, which retries soon and is disposed of by the case; with a fresh queue each, if it has one.
 * @throws ValidationError for an unknown option
 */
export function engineContract(
  make: () => RunEngine | Promise<RunEngine>,
  options: EngineContractOptions = {},
): ContractCase[] {
  checkKeys('The options', options, ['patienceMs']);
  const { patienceMs = 10_000 } = options;
  return [...deliveryCases, ...leavingCases].map(([name, check]) => ({
    name,
    async run() {
      const engine = await make();
      try {
        await inTime(check(engine), patienceMs);
      } finally {
        await inTime(Promise.resolve(engine[Symbol.asyncDispose]()), patienceMs);
      }
    },
  }));
}
