import { checkKeys } from '@x/core/internal';
import type { ContractCase } from '@x/core/testing';
import { inTime } from './in-time.ts';
import { lifeCases } from './organization-life-cases.ts';
import { mailCases } from './organization-mail-cases.ts';
import type { OrganizationUnderTest } from './organization-under-test.ts';

/** Options of `organizationContract`. */
export interface OrganizationContractOptions {
  /** The id of a role for the agents of the cases. Default `worker`. */
  readonly roleId?: string;
  /** Milliseconds that one case may take before it counts as broken. Default 10000. */
  readonly patienceMs?: number;
}

/**
 * The promises every `Organization` keeps, for any test runner: `for (const item of organizationContract(make)) it(item.name,
 * item.run)`. @throws ValidationError for an unknown option
 */
export function organizationContract(
  make: () => OrganizationUnderTest | Promise<OrganizationUnderTest>,
  options: OrganizationContractOptions = {},
): ContractCase[] {
  checkKeys('The options of organizationContract', options, ['roleId', 'patienceMs']);
  const { roleId = 'worker', patienceMs = 10_000 } = options;
  return [...lifeCases, ...mailCases].map(([name, check]) => ({
    name,
    async run() {
      const under = await make();
      try {
        await inTime(check(under, roleId), patienceMs);
      } finally {
        await under.dispose?.();
      }
    },
  }));
}
