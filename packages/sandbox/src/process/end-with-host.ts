import type { ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { killTree } from './kill-tree.ts';
import { startOf } from './process-table.ts';
import { WATCHER } from './watcher-script.ts';

/** One command under way, known by its mark before it is started. */
export interface WatchedCommand {
  /** Sets the process that leads its group. */
  begun(leader: number): void;
  ended(): void;
}
interface UnderWay {
  readonly leader?: number;
  readonly startedAt?: string | undefined;
}

// The end of this process is one event for all workspaces: one watcher and one listener serve them.
const underWay = new Map<string, UnderWay>();
let watcher: ChildProcess | undefined;

/**
 * Ends the group of a command, and all processes with its mark, when this process ends before it, in any way. Call it before the command is
 * started: from then on it cannot be left behind. @throws when no watcher can be started
 */
export function endWithHost(mark: string): WatchedCommand {
  if (!watcher) startWatcher();
  if (underWay.size === 0) process.on('exit', endAll);
  underWay.set(mark, {});
  report(mark, {});
  return {
    begun(leader) {
      const command = { leader, startedAt: startOf(leader) };
      underWay.set(mark, command);
      report(mark, command);
    },
    ended() {
      if (!underWay.delete(mark)) return;
      send(`- ${mark}`);
      if (underWay.size === 0) process.off('exit', endAll);
    },
  };
}

function endAll(): void {
  for (const [mark, { leader }] of underWay) if (leader !== undefined) killTree(leader, mark);
}

/**
 * Starts a shell in its own session that reads the running commands from a pipe whose other end only this process has: no signal to our
 * group or terminal reaches it, and the end of the pipe means the end of this process.
 */
function startWatcher(): void {
  const { spawn } = process.getBuiltinModule('node:child_process');
  const env = { PATH: process.env['PATH'] ?? '/usr/bin:/bin' }; // no mark of a command that this process may run in
  const started = spawn('/bin/sh', ['-c', WATCHER], {
    cwd: '/',
    env,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  started.once('error', () => undefined); // it has no process then, which is refused below
  if (started.pid === undefined) throw new Error('its watcher could not be started');
  watcher = started;
  started.once('exit', () => (watcher = undefined)); // somebody has ended it; the next command starts another
  started.unref();
  const pipe = started.stdin as unknown as Socket; // a pipe of a child is a socket, which the types do not say
  pipe.on('error', () => undefined); // its 'exit' follows
  pipe.unref();
  for (const [mark, command] of underWay) report(mark, command);
}

function report(mark: string, { leader, startedAt }: UnderWay): void {
  send(`+ ${mark} ${leader ?? ''} ${startedAt ?? ''}`);
}

/** Writes immediately: a line this short never blocks, and arrives even when this process is killed right after. */
function send(line: string): void {
  watcher?.stdin?.write(`${line}\n`);
}
