import { describe, expect, it } from 'vitest';
import type { SandboxCapabilities, SandboxDriver, SandboxPolicy } from '../src/driver/driver.ts';
import { bubblewrapDriver } from '../src/drivers/bubblewrap/bubblewrap-driver.ts';
import { findProgram } from '../src/drivers/bubblewrap/find-program.ts';
import { noneDriver } from '../src/drivers/none-driver.ts';
import { runtimeDriver } from '../src/drivers/runtime/runtime-driver.ts';
import { driverContract } from '../src/testing/index.ts';
import { hasBubblewrap, NEEDS_BUBBLEWRAP } from './has-bubblewrap.ts';

const hasRuntime = hasBubblewrap && ['socat', 'rg'].every((name) => findProgram(name, []));

describe.skipIf(!hasBubblewrap)(`driverContract()${NEEDS_BUBBLEWRAP}`, () => {
  describe('on bubblewrapDriver()', () => {
    it.concurrent.each(driverContract(bubblewrapDriver))('$name', ({ run }) => expect(run()).resolves.toBeUndefined());
  });

  describe.skipIf(!hasRuntime)(`on runtimeDriver()${hasRuntime ? '' : ' (needs socat and rg)'}`, () => {
    // It is refused as root, which the kernel allows any number of processes.
    const asUser = () =>
      changed(runtimeDriver(1000), { limits: (one) => process.getuid?.() !== 0 || one !== 'processes' });
    it.concurrent.each(driverContract(asUser))('$name', ({ run }) => expect(run()).resolves.toBeUndefined());
  });

  it('notices that there is no wall', async () => {
    expect(await brokenOf(noneDriver, /^(?!ends|passes|mixes)/)).toEqual([
      'lets nothing outside be changed, by any spelling',
      'shows nothing outside, and nothing that is hidden',
      'keeps what the settings deny to write, and what the host obeys, and leaves nothing in its place',
      'opens neither network nor sockets of the host',
    ]);
  });

  const files =
    (change: (files: SandboxPolicy['files']) => Partial<SandboxPolicy['files']>) => (policy: SandboxPolicy) => ({
      ...policy,
      files: { ...policy.files, ...change(policy.files) },
    });
  it.each<[string, Changes, RegExp]>([
    ['shows what is hidden', { policy: files(() => ({ hidden: [] })) }, /shows nothing outside/],
    ['lets what is denied be written', { policy: files(() => ({ readOnly: [] })) }, /keeps what the settings deny/],
    ['does not open what is allowed', { policy: files(() => ({ write: [], read: [] })) }, /where the settings say/],
    [
      'opens the network',
      { policy: (one) => ({ ...one, network: { ...one.network, mode: 'host' } }) },
      /opens neither/,
    ],
    ['passes its environment on', { env: () => process.env as Record<string, string> }, /no variable of this process/],
    ['joins words', { command: (one) => (typeof one === 'string' ? one : one.join(' ')) }, /every word/],
    ['forgets limits', { policy: (one) => ({ ...one, limits: {} }) }, /holds the limits/],
  ])('notices a driver that %s', async (_, changes, broken) => {
    const found = await brokenOf(() => changed(bubblewrapDriver(), changes), broken);

    expect(found).toHaveLength(1);
  });
});

interface Changes {
  readonly policy?: (policy: SandboxPolicy) => SandboxPolicy;
  readonly env?: () => Record<string, string>;
  readonly limits?: (name: SandboxCapabilities['limits'][number]) => boolean;
  readonly command?: (command: string | readonly string[]) => string | readonly string[];
}

/** The driver, which is given something else than it was told. */
function changed(
  driver: SandboxDriver,
  { policy: other = (one) => one, env, limits = () => true, command: line = (one) => one }: Changes,
): SandboxDriver {
  return {
    name: driver.name,
    get capabilities() {
      return { ...driver.capabilities, limits: driver.capabilities.limits.filter(limits) };
    },
    probe: (policy) => driver.probe(policy),
    contain: (command, policy) =>
      driver.contain(
        { ...command, command: line(command.command), env: { ...env?.(), ...command.env } },
        other(policy),
      ),
  };
}

/** The names of the promises that are broken, of those that are tried. */
async function brokenOf(make: () => SandboxDriver, tried: RegExp): Promise<string[]> {
  const broken: string[] = [];
  for (const { name, run } of driverContract(make, { patienceMs: 5_000 })) {
    if (tried.test(name)) await run().catch(() => broken.push(name));
  }
  return broken;
}
