import { checkKeys } from '@x/errors';
import type { Workspace } from '../workspace.ts';
import { broken, type ContractCase } from './contract-case.ts';
import type { WorkspaceCase } from './workspace-case.ts';
import { fileCases } from './workspace-file-cases.ts';
import { networkCases } from './workspace-network-cases.ts';
import { processCases } from './workspace-process-cases.ts';

/** A fresh, empty workspace for one case. */
export interface WorkspaceUnderTest {
  /** Its directory is empty, and relative paths start there. */
  readonly workspace: Workspace;
  /** Called when the case is over, on failure too. */
  dispose?(): void | Promise<void>;
}
/** Options of `workspaceContract`. */
export interface WorkspaceContractOptions {
  /** Default true: the workspace runs `contractCommands`. False leaves out the cases that need them. */
  readonly commands?: boolean;
  /** Milliseconds that one case may take before it counts as broken. Default 10000. */
  readonly patienceMs?: number;
}

/**
 * The promises every `Workspace` keeps, for any test runner:
 * `for (const item of workspaceContract(make)) it(item.name, item.run)`.
 */
export function workspaceContract(
  make: () => WorkspaceUnderTest | Promise<WorkspaceUnderTest>,
  options: WorkspaceContractOptions = {},
): ContractCase[] {
  checkKeys('The options of workspaceContract', options, ['commands', 'patienceMs']);
  const { commands = true, patienceMs = 10_000 } = options;
  const cases: readonly WorkspaceCase[] = [...fileCases, ...networkCases, ...(commands ? processCases : [])];
  return cases.map(([name, check]) => ({
    name,
    async run() {
      const made = await make();
      try {
        await inTime(check(made.workspace), patienceMs);
      } finally {
        await made.dispose?.();
      }
    },
  }));
}

async function inTime(check: Promise<void>, patienceMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(broken(`not settled within ${patienceMs} ms`)), patienceMs);
  });
  try {
    await Promise.race([check, late]);
  } finally {
    clearTimeout(timer);
  }
}
