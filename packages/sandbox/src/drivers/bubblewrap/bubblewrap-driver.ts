import { existsSync } from 'node:fs';
import type { SandboxCapabilities, SandboxDriver, SandboxPolicy } from '../../driver/driver.ts';
import { spawnProcess } from '../../process/spawn-process.ts';
import { hasFilter } from '../seccomp/seccomp-filter.ts';
import { containCommand } from './contain-command.ts';
import { findProgram } from './find-program.ts';
import { lost, DRIVER as NAME } from './lost.ts';
import { processGroup, sweepProcessGroups } from './process-group.ts';
import { type WallParts, wallParts } from './wall-parts.ts';

const INSTALL = 'install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap)';

/**
 * The driver for Linux: bubblewrap with namespaces of its own, no capabilities, a strict view of the files, and a seccomp filter. It has no
 * state of its own between commands; each is started by this process and ends with it.
 */
export function bubblewrapDriver(): SandboxDriver {
  const isRoot = process.getuid?.() === 0;
  let program: string | undefined;
  let parts: WallParts | undefined;
  const driver: SandboxDriver & { capabilities: SandboxCapabilities } = {
    name: NAME,
    capabilities: capabilitiesOf(!isRoot),
    async probe(policy) {
      const missing = missingParts(policy);
      if (missing !== undefined) return [missing];
      program = findProgram('bwrap', [policy.root, ...policy.files.write]);
      if (isRoot) driver.capabilities = capabilitiesOf(await canCountProcesses());
      return await failures(driver, policy);
    },
    async contain(command, policy) {
      if (program === undefined || !existsSync(program)) throw lost('bwrap is not there any more');
      parts ??= wallParts(isRoot);
      return containCommand(command, policy, { program, ...parts });
    },
  };
  return driver;
}

function capabilitiesOf(processes: boolean): SandboxCapabilities {
  return {
    network: ['none', 'host'],
    localBinding: 'isolated',
    unixSockets: 'by-path',
    limits: ['cpuSeconds', 'memoryMb', 'fileSizeMb', ...(processes ? (['processes'] as const) : [])],
  };
}

async function canCountProcesses(): Promise<boolean> {
  sweepProcessGroups();
  const group = processGroup(2);
  await group?.remove();
  return group !== undefined;
}

function missingParts({ root, files }: SandboxPolicy): string | undefined {
  if (process.platform !== 'linux') return `it exists on Linux only, and this is ${process.platform}`;
  if (!hasFilter()) return `there is no system call filter for ${process.arch}`;
  if (!existsSync('/bin/bash')) return 'it needs /bin/bash';
  if (findProgram('bwrap', [root, ...files.write]) !== undefined) return undefined;
  const inside = findProgram('bwrap', []);
  return inside === undefined
    ? `bwrap is not on PATH; ${INSTALL}`
    : `${inside} lies in the workspace, where the agent could have made it; ${INSTALL}`;
}

/** Runs a command behind the whole wall: whether that works depends on the kernel, its settings, and what this process itself runs in. */
async function failures(driver: SandboxDriver, policy: SandboxPolicy): Promise<string[]> {
  const limits = Object.entries(policy.limits).filter(([name]) =>
    (driver.capabilities.limits as string[]).includes(name),
  );
  const contained = await driver.contain(
    { command: `echo ${SIGN}`, cwd: policy.root, env: { PATH: '/usr/bin:/bin' } },
    { ...policy, limits: Object.fromEntries(limits) },
  );
  const said = { stdout: '', stderr: '' };
  const running = spawnProcess('', { cwd: '/', signal: AbortSignal.timeout(PATIENCE_MS), ...contained });
  for await (const { channel, bytes } of running.output) said[channel] += Buffer.from(bytes).toString();
  const { code } = await running.exit;
  await contained.finish({ code, stderr: said.stderr });
  if (said.stdout === `${SIGN}\n`) return [];
  const reason = said.stderr.trim() || `a command in it ended with code ${code}`;
  return [/namespace|Operation not permitted|uid map/.test(reason) ? `${reason}; ${NAMESPACES}` : reason];
}

const SIGN = 'behind the wall';
const PATIENCE_MS = 30_000;
const NAMESPACES =
  'user namespaces must be allowed (sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces > 0, on Ubuntu an AppArmor profile for bwrap; in a container, its seccomp profile)';
