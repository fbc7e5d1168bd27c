import { checkKeys } from '@x/core/internal';
import type { ContractCase } from '@x/core/testing';
import { inTime } from './in-time.ts';
import { keepingCases } from './role-store-keeping-cases.ts';
import { lastingCases } from './role-store-lasting-cases.ts';
import type { RoleStoreUnderTest } from './role-store-under-test.ts';

/** Options of `roleStoreContract`. */
export interface RoleStoreContractOptions {
  /** Default true. False leaves out the cases that open the roles a second time, for a store whose roles end with it. */
  readonly lasting?: boolean;
  /** Milliseconds that one case may take before it counts as broken. Default 10000. */
  readonly patienceMs?: number;
}

/**
 * The promises every `RoleStore` keeps, for any test runner: `for (const item of roleStoreContract(make)) it(item.name, item.run)`.
 * @throws ValidationError for an unknown option
 */
export function roleStoreContract(
  make: () => RoleStoreUnderTest | Promise<RoleStoreUnderTest>,
  options: RoleStoreContractOptions = {},
): ContractCase[] {
  checkKeys('The options of roleStoreContract', options, ['lasting', 'patienceMs']);
  const { lasting = true, patienceMs = 10_000 } = options;
  return [...keepingCases, ...(lasting ? lastingCases : [])].map(([name, check]) => ({
    name,
    async run() {
      const under = await make();
      try {
        await inTime(check(under), patienceMs);
      } finally {
        await under.store.close();
        await under.dispose?.();
      }
    },
  }));
}
