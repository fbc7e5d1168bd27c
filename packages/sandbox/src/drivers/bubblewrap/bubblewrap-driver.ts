import { existsSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import type {
  ContainedCommand,
  SandboxCapabilities,
  SandboxCommand,
  SandboxDriver,
  SandboxPolicy,
  SandboxViolation,
} from '../../driver/driver.ts';
import { SandboxUnavailableError } from '../../driver/sandbox-unavailable-error.ts';
import { spawnProcess } from '../../process/spawn-process.ts';
import { hasFilter, seccompFilter } from '../seccomp/seccomp-filter.ts';
import { findProgram } from './find-program.ts';
import { HOME, hostView, toolChains } from './host-view.ts';
import { kindOf } from './kind-of.ts';
import { hardLimits, limitsPrelude } from './limits.ts';
import { outerPrelude } from './outer-prelude.ts';
import { givePlaceholdersBack, takePlaceholders } from './placeholders.ts';
import { processGroup, sweepProcessGroups } from './process-group.ts';
import { violationsIn } from './violations-in-output.ts';
import { workspaceView } from './workspace-view.ts';

const NAME = 'bubblewrap';
const FILTER_DESCRIPTOR = '3';
/** The same for every command. */
const WALL: readonly string[] = [
  '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try',
  '--die-with-parent --new-session --cap-drop ALL --disable-userns',
].flatMap((options) => options.split(' '));
const AS_ROOT = ['--uid', '1000', '--gid', '1000'];
/** They affect the programs that build the wall, and are given to the command only. */
const ONLY_INSIDE = /^(LD_|GLIBC_|BASH|ENV$|SHELLOPTS$|PS4$)/;
const INSTALL = 'install it (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap)';

/**
 * The driver for Linux: bubblewrap with namespaces of its own, no capabilities, a strict view of the files, and a seccomp filter. It has no
 * state of its own between commands; each is started by this process and ends with it.
 */
export function bubblewrapDriver(): SandboxDriver {
  const isRoot = process.getuid?.() === 0;
  let program: string | undefined;
  let views: ReturnType<typeof cachedViews> | undefined;
  const driver: SandboxDriver & { capabilities: SandboxCapabilities } = {
    name: NAME,
    capabilities: capabilitiesOf(!isRoot),
    async probe(policy) {
      const missing = missingParts(policy);
      if (missing !== undefined) return [missing];
      program = findProgram('bwrap', [policy.root, ...policy.files.write]);
      if (isRoot) driver.capabilities = capabilitiesOf(canCountProcesses());
      return await failures(driver, policy);
    },
    async contain(command, policy) {
      if (program === undefined || !existsSync(program)) throw lost('bwrap is not there any more');
      views ??= cachedViews(isRoot);
      const group = isRoot && policy.limits.processes ? processGroup(policy.limits.processes) : undefined;
      if (isRoot && policy.limits.processes && !group) throw lost('no process group can be made any more');
      const view = workspaceView(policy);
      const targets = view.links.map((link) => [link, readlinkSync(link)] as const);
      takePlaceholders(view.absent);
      const { env, inside } = environments(command.env);
      const argv = [
        ...outerPrelude({ entrance: group?.entrance }),
        program,
        ...wallFor(policy, isRoot),
        ...views.host(policy.limits.memoryMb),
        ...views.tools(env['PATH'] ?? '', policy),
        ...view.arguments,
        ...inside.flatMap(([name, value]) => ['--setenv', name, value]),
        '--remount-ro',
        '/',
        '--chdir',
        command.cwd,
        '--seccomp',
        FILTER_DESCRIPTOR,
        '--',
        ...shellFor(command, limitsPrelude(policy.limits, { hard: views.hard, isRoot })),
      ];
      return {
        argv,
        env,
        inputs: [views.filter(policy.network.unixSockets !== 'none')],
        async finish({ code, stderr }) {
          group?.remove();
          const planted = [
            ...targets.flatMap(([link, target]) => restored(link, target)),
            ...view.unmade.flatMap(removed),
          ];
          await givePlaceholdersBack(view.absent);
          const failure = failureIn(code, stderr);
          return { violations: [...planted, ...violationsIn(stderr)], ...(failure === undefined ? {} : { failure }) };
        },
      } satisfies ContainedCommand;
    },
  };
  return driver;
}

function wallFor({ network }: SandboxPolicy, isRoot: boolean): string[] {
  return [...WALL, ...(isRoot ? AS_ROOT : []), ...(network.mode === 'host' ? [] : ['--unshare-net'])];
}

function capabilitiesOf(processes: boolean): SandboxCapabilities {
  return {
    network: ['none', 'host'],
    localBinding: 'isolated',
    unixSockets: 'by-path',
    limits: ['cpuSeconds', 'memoryMb', 'fileSizeMb', ...(processes ? (['processes'] as const) : [])],
  };
}

function canCountProcesses(): boolean {
  sweepProcessGroups();
  const group = processGroup(2);
  group?.remove();
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

/** Arguments that are the same for many commands, and made once. */
function cachedViews(isRoot: boolean) {
  const made = new Map<string, string[]>();
  const once = (key: string, make: () => string[]) => {
    let known = made.get(key);
    if (!known) made.set(key, (known = make()));
    return known;
  };
  const filters = new Map<boolean, Uint8Array>();
  return {
    hard: hardLimits(),
    host: (memoryMb: number | undefined) => once(`host ${memoryMb}`, () => hostView({ isRoot, memoryMb })),
    tools: (path: string, { root, files }: SandboxPolicy) =>
      once(`tools ${path}`, () => toolChains(path, [root, ...files.write, ...files.hidden])),
    filter(unixSockets: boolean): Uint8Array {
      let known = filters.get(unixSockets);
      if (!known && hasFilter(process.arch))
        filters.set(unixSockets, (known = seccompFilter(process.arch, { unixSockets })));
      if (!known) throw lost(`there is no system call filter for ${process.arch}`);
      return known;
    },
  };
}

/** The environment of the programs that build the wall, and what is given to the command in addition. */
function environments(given: Readonly<Record<string, string>>) {
  const all = Object.entries({ ...given, HOME, TMPDIR: '/tmp' });
  const inside = all.filter(([name]) => ONLY_INSIDE.test(name));
  return { env: Object.fromEntries(all.filter(([name]) => !ONLY_INSIDE.test(name))), inside };
}

function shellFor({ command }: SandboxCommand, prelude: string): string[] {
  const shell = ['/bin/bash', '--norc', '-c'];
  // On the same line, so that the numbers in error messages are those of the command.
  return typeof command === 'string'
    ? [...shell, `${prelude}${command}`]
    : [...shell, `${prelude}exec "$@"`, 'bash', ...command];
}

/** Puts a protected link back that was replaced, what is in its place aside, and tells of it. */
function restored(link: string, target: string): SandboxViolation[] {
  try {
    if (readlinkSync(link) === target) return [];
  } catch {
    // not a link any more
  }
  try {
    if (existsSync(link)) renameSync(link, `${link}.planted-${crypto.randomUUID().slice(0, 8)}`);
    symlinkSync(target, link);
  } catch {
    // told all the same
  }
  return [{ kind: 'file', detail: link }];
}

/** Removes what has come into being in a protected place, and tells of it. */
function removed(path: string): SandboxViolation[] {
  if (kindOf(path) === undefined) return [];
  rmSync(path, { recursive: true, force: true });
  return [{ kind: 'file', detail: path }];
}

function failureIn(code: number | null, stderr: string): string | undefined {
  const [, said] = code === 1 ? (/^bwrap: (.+)$/m.exec(stderr) ?? []) : [];
  return said;
}

function lost(reason: string): SandboxUnavailableError {
  return new SandboxUnavailableError([{ driver: NAME, reason }]);
}
