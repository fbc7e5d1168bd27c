import type { ProcessExit, SpawnOptions, Workspace } from '../workspace.ts';
import { broken, same } from './contract-case.ts';
import type { WorkspaceCase } from './workspace-case.ts';

/** The command lines that the tested workspace must run as a POSIX shell does. */
export const contractCommands = {
  speaks: 'printf out; printf err >&2; exit 3',
  echoes: 'cat',
  floods: 'head -c 1000000 /dev/zero',
  waits: 'sleep 100',
  speaksAndWaits: 'printf out; sleep 100',
  tellsEnvironment: 'printf "%s" "$CONTRACT"',
} as const;

/** Cases about commands. */
export const processCases: readonly WorkspaceCase[] = [
  [
    'runs a command: both channels and the code',
    async (workspace) => {
      const { stdout, stderr, exit } = await run(workspace, contractCommands.speaks);

      same([stdout, stderr, exit], ['out', 'err', { code: 3, signal: null }], 'output and exit');
    },
  ],
  [
    'hands standard input to the command',
    async (workspace) => {
      const { stdout } = await run(workspace, contractCommands.echoes, { stdin: new TextEncoder().encode('input') });

      same(stdout, 'input', 'output');
    },
  ],
  [
    'hands the environment of the call to the command',
    async (workspace) => {
      const { stdout } = await run(workspace, contractCommands.tellsEnvironment, { env: { CONTRACT: 'kept' } });

      same(stdout, 'kept', 'output');
    },
  ],
  [
    'delivers a large output in full',
    async (workspace) => {
      const { stdout } = await run(workspace, contractCommands.floods);

      same(stdout.length, 1_000_000, 'length');
    },
  ],
  [
    'ends a command that is killed, and accepts a second kill',
    async (workspace) => {
      const running = workspace.spawn(contractCommands.waits, { signal: new AbortController().signal });
      running.kill();
      running.kill();

      notSuccess(await running.exit);
    },
  ],
  [
    'ends what bears a mark, and nothing else, where it finds commands again',
    async (workspace) => {
      const { commands } = workspace;
      if (!commands) return;
      const [mark, other] = [commands.mark(), commands.mark()];
      const signal = new AbortController().signal;
      const running = workspace.spawn(contractCommands.waits, { signal, mark });

      same(await commands.end(other), false, 'of another mark');
      same(await commands.end(mark), true, 'of its own mark');
      notSuccess(await running.exit);
      same(await commands.end(mark), false, 'afterwards');
    },
  ],
  [
    'ends a command when its signal is aborted',
    async (workspace) => {
      const abort = new AbortController();
      const running = workspace.spawn(contractCommands.speaksAndWaits, { signal: abort.signal });
      for await (const _ of running.output) abort.abort();

      notSuccess(await running.exit);
    },
  ],
  [
    'does not run a command whose signal is aborted already',
    async (workspace) => {
      const { stdout, exit } = await run(workspace, contractCommands.speaks, { signal: AbortSignal.abort() });

      same(stdout, '', 'output');
      notSuccess(exit);
    },
  ],
  [
    'ends a command whose reader leaves',
    async (workspace) => {
      const running = workspace.spawn(contractCommands.speaksAndWaits, { signal: new AbortController().signal });
      for await (const _ of running.output) break;

      notSuccess(await running.exit);
    },
  ],
];

interface Finished {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: ProcessExit;
}

async function run(workspace: Workspace, command: string, options: Partial<SpawnOptions> = {}): Promise<Finished> {
  const running = workspace.spawn(command, { signal: new AbortController().signal, ...options });
  const printed = { stdout: '', stderr: '' };
  for await (const { channel, bytes } of running.output) printed[channel] += new TextDecoder('latin1').decode(bytes);
  return { ...printed, exit: await running.exit };
}

function notSuccess({ code }: ProcessExit): void {
  if (code === 0) throw broken('a command that was ended early must not report success');
}
