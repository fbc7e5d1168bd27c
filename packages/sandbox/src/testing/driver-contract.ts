import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkKeys } from '@x/core/internal';
import type { ContractCase } from '@x/core/testing';
import { createSandbox, type Sandbox } from '../create-sandbox.ts';
import type { SandboxDriver } from '../driver/driver.ts';
import { driverCases } from './driver-cases.ts';

/** Options of `driverContract`. */
export interface DriverContractOptions {
  /** Milliseconds that one command may take before it counts as broken. Default 20000; more for a driver that starts slowly. */
  readonly patienceMs?: number;
}

/**
 * The promises every `SandboxDriver` keeps, for any test runner: `for (const item of driverContract(make)) it(item.name, item.run)`. `make`
 * returns a fresh driver. Commands are lines for a POSIX shell; beside it they use `mkdir`, `ln`, `mv`, `sleep`, `env` and `node`.
 * @throws ValidationError for an unknown option
 */
export function driverContract(make: () => SandboxDriver, options: DriverContractOptions = {}): ContractCase[] {
  checkKeys('The options', options, ['patienceMs']);
  const { patienceMs: timeoutMs = 20_000 } = options;
  return driverCases.map(([name, check]) => ({
    name,
    async run() {
      const place = realpathSync(mkdtempSync(join(tmpdir(), 'driver-')));
      const [root, outside] = [join(place, 'root'), join(place, 'outside')];
      for (const directory of [root, outside]) mkdirSync(directory);
      writeFileSync(join(outside, 'note'), 'of the host');
      const made: Sandbox[] = [];
      const driver = make();
      try {
        await check({
          root,
          outside,
          async make({ limits, ...settings } = {}) {
            const box = await createSandbox({ ...settings, driver, cwd: root, limits: { timeoutMs, ...limits } });
            made.push(box);
            return box;
          },
        });
      } finally {
        await Promise.all(made.map((box) => box.close()));
        rmSync(place, { recursive: true, force: true });
      }
    },
  }));
}
