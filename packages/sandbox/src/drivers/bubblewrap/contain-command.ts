import { resolve } from 'node:path';
import { messageOf } from '@x/core/internal';
import type { ContainedCommand, SandboxCommand, SandboxPolicy } from '../../driver/driver.ts';
import { HOME } from './host-view.ts';
import { limitsPrelude } from './limits.ts';
import { lost } from './lost.ts';
import { mountsPrelude } from './mounts-prelude.ts';
import { outerPrelude } from './outer-prelude.ts';
import { givePlaceholdersBack, takePlaceholders } from './placeholders.ts';
import { watchPlaces } from './planted.ts';
import { type ProcessGroup, processGroup } from './process-group.ts';
import { violationsIn } from './violations-in-output.ts';
import type { WallParts } from './wall-parts.ts';
import { workspaceView } from './workspace-view.ts';

/** The filter is read from the first descriptor behind the standard ones. */
const END = '--remount-ro / --seccomp 3';
/** The same for every command. */
const WALL: readonly string[] = [
  '--unshare-user --unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try',
  '--die-with-parent --new-session --cap-drop ALL --disable-userns',
].flatMap((options) => options.split(' '));
const AS_ROOT = ['--uid', '1000', '--gid', '1000'];
/** They affect the programs that build the wall, and are given to the command only. */
const ONLY_INSIDE = /^(LD_|GLIBC_|BASH|ENV$|SHELLOPTS$|PS4$)/;

/** The wall of one driver. */
export interface Wall extends WallParts {
  /** The absolute path of bwrap. */
  readonly program: string;
}

/** A command with the wall around it. @throws SandboxUnavailableError when a part of the wall cannot be built */
export function containCommand(command: SandboxCommand, policy: SandboxPolicy, wall: Wall): ContainedCommand {
  const { limits, network } = policy;
  const view = looked(() => workspaceView(policy));
  const mounts = looked(() => mountsPrelude(view.bound));
  const planted = looked(() => watchPlaces(view));
  const group = wall.isRoot && limits.processes ? groupOf(limits.processes) : undefined;
  try {
    takePlaceholders(view.absent);
  } catch (error) {
    void givePlaceholdersBack(view.absent);
    void group?.remove();
    throw lost(messageOf(error));
  }
  const { env, inside } = environments(command.env);
  const argv = [
    ...outerPrelude({ entrance: group?.entrance }),
    wall.program,
    ...wallFor(policy, wall.isRoot),
    ...wall.host(limits.memoryMb),
    ...wall.tools(env['PATH'] ?? '', policy),
    ...view.arguments,
    ...inside.flatMap(([name, value]) => ['--setenv', name, value]),
    ...END.split(' '),
    '--chdir',
    command.cwd,
    '--',
    ...shellFor(command, `${mounts}${limitsPrelude(limits, wall)}`),
  ];
  return {
    argv,
    env,
    inputs: [wall.filter(network.unixSockets !== 'none')],
    async finish({ code, stderr }) {
      const undone = planted();
      await givePlaceholdersBack(view.absent);
      await group?.remove();
      const told = violationsIn(stderr, (path) => view.absent.includes(resolve(command.cwd, path)));
      const failure = failureIn(code, stderr);
      return { violations: [...undone, ...told], ...(failure === undefined ? {} : { failure }) };
    },
  };
}

function looked<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    throw lost(`the directories cannot be looked at: ${messageOf(error)}`);
  }
}

function groupOf(most: number): ProcessGroup {
  const group = processGroup(most);
  if (!group) throw lost('no process group can be made any more');
  return group;
}

function wallFor({ network }: SandboxPolicy, isRoot: boolean): string[] {
  return [...WALL, ...(isRoot ? AS_ROOT : []), ...(network.mode === 'host' ? [] : ['--unshare-net'])];
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
    : [...shell, `${prelude}exec -- "$@"`, 'bash', ...command];
}

/** Where the wall was not built, its fault is all that was said: a command may run bwrap itself, and say more. */
function failureIn(code: number | null, stderr: string): string | undefined {
  const [, said] = code === 1 ? (/^bwrap: (.+)\n?$/.exec(stderr) ?? []) : [];
  return said;
}
