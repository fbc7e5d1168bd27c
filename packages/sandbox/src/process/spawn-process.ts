import { existsSync } from 'node:fs';
import { AgentError, messageOf, type ProcessExit, type SpawnedProcess, ValidationError } from '@x/core';
import { RunningProcess, type ShellChild } from './running-process.ts';

export interface SpawnProcessOptions {
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly stdin?: Uint8Array;
}

const NOT_STARTED = 127;

/**
 * Runs a command line with `/bin/bash -c` (else `/bin/sh`) in a process group and session of its own. The signal and `kill` end
 * the whole tree with SIGKILL at once; when the shell ends, what it has left in its group ends too. A command that cannot be
 * started ends with code 127 and the reason on stderr. Node is kept alive only while a reader waits for output or the tree is
 * being ended. @throws ValidationError on a NUL in the command
 */
export function spawnProcess(command: string, options: SpawnProcessOptions): SpawnedProcess {
  if (command.includes('\0')) throw new ValidationError('A command must not hold a NUL character', 'command');
  if (options.signal.aborted) return endedProcess({ code: null, signal: 'SIGKILL' });
  try {
    const child = start(command, options);
    const running = new RunningProcess(child, options.signal, (error) => reasonOf(error, command, options.cwd));
    return { output: running, exit: running.exit, kill: () => running.kill() };
  } catch (error) {
    return endedProcess({ code: NOT_STARTED, signal: null }, reasonOf(error, command, options.cwd));
  }
}

function start(command: string, { cwd, env, stdin }: SpawnProcessOptions): ShellChild {
  const { spawn } = process.getBuiltinModule('node:child_process'); // loaded with the first command, not with the package
  // bash reads ~/.bashrc when its input is a socket, as the pipes of Node are.
  const [shell, ...flags] = existsSync('/bin/bash') ? ['/bin/bash', '--norc'] : ['/bin/sh'];
  const child = spawn(shell, [...flags, '-c', command], {
    cwd,
    env: { ...env },
    detached: true,
    windowsHide: true,
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  // So it is when this process has no descriptors left; the 'error' that follows says nothing more.
  if (!child.stdout) {
    child.once('error', () => undefined);
    throw new AgentError('this process has too many open files', { code: 'EMFILE' });
  }
  // A command may end without reading its input; that is no fault.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(stdin);
  return child as ShellChild; // safe: the pipes above are the ones of the type
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
