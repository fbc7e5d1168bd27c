import { AgentError, AuthorizationError, checkKeys } from '@x/errors';
import type { FetchOptions, SpawnOptions, Workspace } from '../workspace.ts';
import { memoryFiles } from './memory-files.ts';
import { type CommandReply, memoryProcess } from './memory-process.ts';

/** Answers a command line, given the options of the call and the workspace it runs in; undefined for an unknown command. */
export type CommandScript = (
  command: string,
  options: SpawnOptions,
  workspace: Workspace,
) => CommandReply | undefined | Promise<CommandReply | undefined>;
/** Initial content of a memory workspace, and its capabilities. */
export interface MemoryWorkspaceOptions {
  /** Text is stored as UTF-8; relative paths start at `cwd`; the last file is the newest. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Default `/workspace`. */
  readonly cwd?: string;
  /** The environment of every command. Default: empty. */
  readonly env?: Readonly<Record<string, string>>;
  /** Replies by command line, or a function. Any other command ends with code 127, as in a shell. */
  readonly commands?: Readonly<Record<string, CommandReply>> | CommandScript;
  /** Default: every request is refused. Here names resolve to a public address, `localhost` to 127.0.0.1. */
  readonly fetch?: Workspace['fetch'];
}

/** A workspace without a file system, processes or a network. */
export interface MemoryWorkspace extends Workspace {
  /** Every command line so far, in order. */
  readonly commandsRun: readonly string[];
}

/** A `Workspace` in memory, with scripted commands; nothing needs to be closed. */
export function memoryWorkspace(options: MemoryWorkspaceOptions = {}): MemoryWorkspace {
  checkKeys('memoryWorkspace options', options, ['files', 'cwd', 'env', 'commands', 'fetch']);
  const { files = {}, cwd = '/workspace', env = {}, commands = {} } = options;
  const commandsRun: string[] = [];
  const script: CommandScript =
    typeof commands === 'function' ? commands : (line) => (Object.hasOwn(commands, line) ? commands[line] : undefined);
  const verbs = memoryFiles(cwd, files);
  const workspace: MemoryWorkspace = {
    ...verbs,
    cwd,
    env,
    commandsRun,
    spawn: (command, spawnOptions) => {
      commandsRun.push(command);
      const reply = async () => (await script(command, spawnOptions, workspace)) ?? unknownCommand(command);
      return memoryProcess(reply, spawnOptions);
    },
    fetch: async (request, guard) => {
      judgeAddress(request, guard);
      return await (options.fetch ?? refuse)(request, guard);
    },
  };
  return workspace;
}

function unknownCommand(command: string): CommandReply {
  const bytes = new TextEncoder().encode(`${command}: command not found\n`);
  return { output: [{ channel: 'stderr', bytes }], code: 127 };
}

function judgeAddress({ url }: Request, { admitsAddress }: FetchOptions = {}): void {
  const { hostname } = new URL(url);
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const address = isAddress ? hostname.replace(/^\[|\]$/g, '') : hostname === 'localhost' ? '127.0.0.1' : '1.1.1.1';
  if (admitsAddress?.(address) === false)
    throw new AuthorizationError(`${hostname} leads to ${address}, which must not be reached`);
}

async function refuse(request: Request): Promise<Response> {
  throw new AgentError(`memoryWorkspace was given no fetch for ${request.url}`, { code: 'NO_NETWORK' });
}
