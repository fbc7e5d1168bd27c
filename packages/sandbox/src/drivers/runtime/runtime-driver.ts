import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { messageOf } from '@x/core/internal';
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
import { hardLimits, limitsPrelude } from '../bubblewrap/limits.ts';
import { watchPlaces } from '../bubblewrap/planted.ts';
import { protectedPlaces } from '../bubblewrap/protected-places.ts';
import { violationsIn } from '../bubblewrap/violations-in-output.ts';
import { configFor, filesystemFor } from './runtime-config.ts';
import { RuntimeHelper } from './runtime-helper.ts';

const NAME = 'sandbox-runtime';
const PACKAGE = '@anthropic-ai/sandbox-runtime';
const SIGN = 'behind the wall';
const PATIENCE_MS = 30_000;

/**
 * The driver for macOS, and for lists of hosts on Linux: the package `@anthropic-ai/sandbox-runtime`, which the host installs. Each driver
 * has a process of its own for it, because the settings of the runtime belong to a whole process.
 * @param user The number of the user that commands run as; with root's it is refused.
 */
export function runtimeDriver(
  user: number | undefined = process.getuid?.(),
  platform: NodeJS.Platform = process.platform,
): SandboxDriver {
  const isLinux = platform === 'linux';
  let helper: Promise<Opened> | undefined;
  const helperFor = async (policy: SandboxPolicy) => {
    const found = await helper?.catch(() => undefined);
    if (found && !found.helper.hasEnded) return found;
    helper = openHelper(policy, isLinux);
    return await helper;
  };
  const driver: SandboxDriver = {
    name: NAME,
    capabilities: capabilitiesOf(isLinux),
    async probe(policy) {
      const missing = missingParts(user, platform);
      if (missing !== undefined) return [missing];
      try {
        return await failures(driver, policy);
      } catch (error) {
        return error instanceof SandboxUnavailableError
          ? error.reasons.map(({ reason }) => reason)
          : [messageOf(error)];
      }
    },
    async contain(command, policy) {
      try {
        return await containWith(await helperFor(policy), command, policy);
      } catch (error) {
        throw new SandboxUnavailableError([{ driver: NAME, reason: messageOf(error) }]);
      }
    },
  };
  return driver;
}

function capabilitiesOf(isLinux: boolean): SandboxCapabilities {
  const limits = ['cpuSeconds', 'fileSizeMb', 'processes'] as const;
  return isLinux
    ? { ...EVERYWHERE, localBinding: 'isolated', unixSockets: 'all-or-none', limits: [...limits, 'memoryMb'] }
    : { ...EVERYWHERE, localBinding: 'real', unixSockets: 'by-path', limits };
}

const EVERYWHERE = { network: ['none', 'domains'] } as const;

function missingParts(user: number | undefined, platform: NodeJS.Platform): string | undefined {
  if (platform !== 'linux' && platform !== 'darwin') {
    return `it is used on Linux and macOS only, and this is ${platform}`;
  }
  if (user === 0) {
    return "as root it leaves the settings of the kernel below /proc/sys open; run as another user, or use the driver 'bubblewrap'";
  }
  return locate() === undefined ? `the package ${PACKAGE} is not installed: npm install ${PACKAGE}@0.0.83` : undefined;
}

/** The URL of the runtime, from where this package is installed. */
function locate(): string | undefined {
  try {
    const url = import.meta.resolve(PACKAGE);
    return existsSync(fileURLToPath(url)) ? url : undefined;
  } catch {
    return undefined;
  }
}

interface Opened {
  readonly isLinux: boolean;
  readonly helper: RuntimeHelper;
  /** The runtime. */
  readonly file: string;
  /** Those of the runtime's proxies, which the wall would hide. */
  readonly sockets: readonly string[];
}

async function openHelper(policy: SandboxPolicy, isLinux: boolean): Promise<Opened> {
  const runtime = locate();
  if (runtime === undefined) throw new Error(`the package ${PACKAGE} is not there any more`);
  const file = fileURLToPath(runtime);
  const helper = new RuntimeHelper(runtime, policy.root);
  try {
    const sockets = await helper.ask('open', { config: configFor(policy, helper.places, { runtime: file, isLinux }) });
    return { helper, file, isLinux, sockets: sockets as string[] }; // safe: of our own program
  } catch (error) {
    helper.end();
    throw error;
  }
}

async function containWith(
  { helper, file, sockets, isLinux }: Opened,
  command: SandboxCommand,
  policy: SandboxPolicy,
): Promise<ContainedCommand> {
  const release = helper.hold();
  const commandId = crypto.randomUUID();
  const places = [policy.root, ...policy.files.write].map(protectedPlaces);
  const planted = watchPlaces({
    links: places.flatMap(({ links }) => links),
    unmade: places.flatMap(({ unmade }) => unmade),
  });
  try {
    const prelude = limitsPrelude(policy.limits, { hard: isLinux ? hardLimits() : new Map(), isRoot: false });
    const filesystem = filesystemFor(policy, helper.places, {
      runtime: file,
      isLinux,
      path: command.env['PATH'],
      sockets,
    });
    const argv = await helper.ask('wrap', { line: prelude + lineOf(command), filesystem, commandId });
    return {
      argv: argv as string[], // safe: of our own program
      env: { ...command.env, HOME: helper.places.home },
      cwd: command.cwd,
      finish: async (end) => await endOf(end, helper, { commandId, planted, release }),
    };
  } catch (error) {
    release();
    throw error;
  }
}

/** The line for the shell; words are quoted as POSIX has it (2.2.2). */
function lineOf({ command }: SandboxCommand): string {
  if (typeof command === 'string') return command;
  return `exec -- ${command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}`;
}

interface Begun {
  readonly commandId: string;
  readonly planted: () => SandboxViolation[];
  readonly release: () => void;
}

async function endOf(
  { code, stderr }: { readonly code: number | null; readonly stderr: string },
  helper: RuntimeHelper,
  { commandId, planted, release }: Begun,
) {
  const seen = [...planted(), ...violationsIn(stderr, () => false)];
  try {
    const lines = (await helper.ask('finish', { commandId })) as string[]; // safe: of our own program
    const [, failure] = code === 1 ? (/^bwrap: (.+)$/m.exec(stderr) ?? []) : [];
    return {
      violations: [...seen, ...lines.flatMap(violationIn)],
      ...(failure === undefined ? {} : { failure }),
    };
  } catch {
    return { violations: seen }; // the command itself has run behind the wall
  } finally {
    release();
  }
}

/** A refused host, as the runtime's proxies write it. */
function violationIn(line: string): SandboxViolation[] {
  const [, host] = /^deny [a-z-]+ (\S+):\d+ /.exec(line) ?? [];
  return host === undefined ? [] : [{ kind: 'network', detail: host }];
}

/** Runs a command behind the whole wall. */
async function failures(driver: SandboxDriver, policy: SandboxPolicy): Promise<string[]> {
  const limits = Object.fromEntries(
    Object.entries(policy.limits).filter(([name]) => (driver.capabilities.limits as string[]).includes(name)),
  );
  const env = { PATH: '/usr/bin:/bin' };
  const contained = await driver.contain({ command: `echo ${SIGN}`, cwd: policy.root, env }, { ...policy, limits });
  const said = { stdout: '', stderr: '' };
  const running = spawnProcess('', { cwd: '/', signal: AbortSignal.timeout(PATIENCE_MS), ...contained });
  for await (const { channel, bytes } of running.output) said[channel] += Buffer.from(bytes).toString();
  const { code } = await running.exit;
  await contained.finish({ code, stderr: said.stderr });
  return said.stdout === `${SIGN}\n` ? [] : [said.stderr.trim() || `a command in it ended with code ${code}`];
}
