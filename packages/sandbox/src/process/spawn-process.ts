import { existsSync } from 'node:fs';
import { type ProcessExit, type ProcessOutput, type SpawnedProcess, ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';
import { RunningProcess, type StartedCommand } from './running-process.ts';
import { startWatched } from './start-watched.ts';

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
  readonly gated?: boolean | undefined;
}

const NOT_STARTED = 127;
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

function start(command: string, { cwd, env, stdin, mark, argv, inputs, gated }: SpawnProcessOptions): StartedCommand {
  const started = startWatched(argv ?? shellFor(command), {
    cwd,
    env,
    mark,
    inputs,
    gated,
    hasInput: stdin !== undefined,
  });
  started.child.stdin?.end(stdin);
  return started;
}

function shellFor(command: string): string[] {
  // bash reads ~/.bashrc when its input is a socket, as the pipes of Node are.
  return [...(existsSync('/bin/bash') ? ['/bin/bash', '--norc'] : ['/bin/sh']), '-c', command];
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
