import type { Socket } from 'node:net';
import { AgentError } from '@x/core';
import { endWithHost } from './end-with-host.ts';
import { canReadMarks } from './process-table.ts';
import type { ShellChild, StartedCommand } from './running-process.ts';

/** A program to start, in a group and session of its own. */
export interface StartOptions {
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** True when the caller writes to its standard input. */
  readonly hasInput: boolean;
  /** Mark of the call that runs the program (see `survivors.ts`). */
  readonly mark?: string | undefined;
  /** Written to descriptors of the program from 3 on, each of which then ends. */
  readonly inputs?: readonly Uint8Array[] | undefined;
  /** Starts the program only once its group is known; default on systems where marks cannot be read. Costs about 1 ms. */
  readonly gated?: boolean | undefined;
}

/** The marks of a command, preceded by those of a command that this process itself runs in. */
const MARKS = 'AGENT_SDK_COMMAND';
/** Waits for the byte that confirms that the watcher knows the group; runs nothing when the host ends before. */
export const GATE: readonly string[] = ['/bin/sh', '-c', 'read -r _ <&3 || exit; exec 3<&-; exec "$@"', 'sh'];

/** Starts a program that ends with this process, however that ends. @throws when it cannot be started, or its watcher cannot */
export function startWatched(
  argv: readonly string[],
  { cwd, env, hasInput, mark, inputs = [], gated = !canReadMarks() }: StartOptions,
): StartedCommand {
  const { spawn } = process.getBuiltinModule('node:child_process'); // loaded with the first command, not with the package
  const own = crypto.randomUUID();
  const watched = endWithHost(own);
  try {
    const [file = '/bin/sh', ...values] = [...(gated ? GATE : []), ...argv];
    const child = spawn(file, values, {
      cwd,
      env: { ...env, [MARKS]: [process.env[MARKS], mark, own].filter((one) => one !== undefined).join(' ') },
      detached: true,
      windowsHide: true,
      stdio: [
        hasInput ? 'pipe' : 'ignore',
        'pipe',
        'pipe',
        ...(gated ? ['pipe' as const] : inputs.map(() => 'pipe' as const)),
      ],
    });
    // So it is when this process has no descriptors left; the 'error' that follows says nothing more.
    if (!child.stdout) {
      child.once('error', () => undefined);
      throw new AgentError('this process has too many open files', { code: 'EMFILE' });
    }
    if (child.pid !== undefined) watched.begun(child.pid);
    if (gated) handOver(child.stdio[3], '\n');
    else for (const [index, bytes] of inputs.entries()) handOver((child.stdio as readonly unknown[])[3 + index], bytes);
    // A command may end without reading its input; that is no fault.
    child.stdin?.on('error', () => undefined);
    return { child: child as ShellChild, mark: own, watched }; // safe: the pipes above are the ones of the type
  } catch (error) {
    watched.ended();
    throw error;
  }
}

/** Writes to a descriptor of the child and ends it. */
function handOver(descriptor: unknown, bytes: string | Uint8Array): void {
  if (!descriptor) return;
  const pipe = descriptor as Socket; // safe: as all pipes of a child, which the types do not say
  pipe.on('error', () => undefined); // the command has ended
  pipe.end(bytes, () => pipe.destroy());
}
