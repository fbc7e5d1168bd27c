import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';
import { AgentError, type ProcessExit, type ProcessOutput, type SpawnedProcess, ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';
import { endWithHost } from './end-with-host.ts';
import { canReadMarks } from './process-table.ts';
import { RunningProcess, type ShellChild, type StartedCommand } from './running-process.ts';

export interface SpawnProcessOptions {
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly stdin?: Uint8Array;
  /** Mark of the call that runs the command (see `survivors.ts`). */
  readonly mark?: string | undefined;
  /** The program to start instead of a shell with the command, and its arguments. */
  readonly argv?: readonly string[] | undefined;
  /** Written to descriptors of the command from 3 on, each of which then ends. */
  readonly inputs?: readonly Uint8Array[] | undefined;
  /** Called with each piece of output when it arrives, also when nobody reads. */
  readonly onOutput?: ((piece: ProcessOutput) => void) | undefined;
  /** Starts the command only once its group is known; default on systems where marks cannot be read. Costs about 1 ms. */
  readonly gated?: boolean;
}

const NOT_STARTED = 127;
/** The marks of a command, preceded by those of a command that this process itself runs in. */
const MARKS = 'AGENT_SDK_COMMAND';
/** Waits for the byte that confirms that the watcher knows the group; runs nothing when the host ends before. */
export const GATE: readonly string[] = ['/bin/sh', '-c', 'read -r _ <&3 || exit; exec 3<&-; exec "$@"', 'sh'];

/**
 * Runs a command line with `/bin/bash -c` (else `/bin/sh`) in its own process group and session. The signal and `kill` end the whole tree
 * with SIGKILL immediately; when the shell ends, the rest of its group is ended too. A command that cannot be started ends with code 127
 * and the reason on stderr. Node is kept alive only while a reader waits for output or the tree is being ended. @throws ValidationError on
 * a NUL in the command
 */
export function spawnProcess(command: string, options: SpawnProcessOptions): SpawnedProcess {
  if (command.includes('\0')) throw new ValidationError('A command must not hold a NUL character', 'command');
  if (options.signal.aborted) return endedProcess({ code: null, signal: 'SIGKILL' });
  try {
    const started = start(command, options);
    const running = new RunningProcess(started, options, (error) => reasonOf(error, command, options.cwd));
    return { output: running, exit: running.exit, kill: () => running.kill() };
  } catch (error) {
    return endedProcess({ code: NOT_STARTED, signal: null }, reasonOf(error, command, options.cwd));
  }
}

function start(
  command: string,
  { cwd, env, stdin, mark, argv, inputs = [], gated = !canReadMarks() }: SpawnProcessOptions,
): StartedCommand {
  const { spawn } = process.getBuiltinModule('node:child_process'); // loaded with the first command, not with the package
  const own = crypto.randomUUID();
  const watched = endWithHost(own);
  try {
    const [file = '/bin/sh', ...values] = [...(gated ? GATE : []), ...(argv ?? shellFor(command))];
    const child = spawn(file, values, {
      cwd,
      env: { ...env, [MARKS]: [process.env[MARKS], mark, own].filter((one) => one !== undefined).join(' ') },
      detached: true,
      windowsHide: true,
      stdio: [
        stdin ? 'pipe' : 'ignore',
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
    child.stdin?.end(stdin);
    return { child: child as ShellChild, mark: own, watched }; // safe: the pipes above are the ones of the type
  } catch (error) {
    watched.ended();
    throw error;
  }
}

function shellFor(command: string): string[] {
  // bash reads ~/.bashrc when its input is a socket, as the pipes of Node are.
  return [...(existsSync('/bin/bash') ? ['/bin/bash', '--norc'] : ['/bin/sh']), '-c', command];
}

/** Writes to a descriptor of the child and ends it. */
function handOver(descriptor: unknown, bytes: string | Uint8Array): void {
  if (!descriptor) return;
  const pipe = descriptor as Socket; // safe: as all pipes of a child, which the types do not say
  pipe.on('error', () => undefined); // the command has ended
  pipe.end(bytes, () => pipe.destroy());
}

function reasonOf(error: unknown, command: string, cwd: string): string {
  return `The command was not started: ${causeOf(error, command, cwd)}\n`;
}

function causeOf(error: unknown, command: string, cwd: string): string {
  if (!existsSync(cwd)) return `the directory ${cwd} does not exist`;
  const tooLong = (error as NodeJS.ErrnoException).code === 'E2BIG';
  return tooLong ? `its ${command.length} characters are more than the system takes` : messageOf(error);
}

function endedProcess(exit: ProcessExit, reason = ''): SpawnedProcess {
  async function* output(): AsyncGenerator<{ channel: 'stderr'; bytes: Uint8Array }> {
    if (reason !== '') yield { channel: 'stderr', bytes: new TextEncoder().encode(reason) };
  }
  return { output: output(), exit: Promise.resolve(exit), kill: () => undefined };
}
