import { realpathSync } from 'node:fs';
import type { ProcessExit, SpawnedProcess } from '@x/core';
import type {
  ContainedCommand,
  SandboxCommand,
  SandboxDriver,
  SandboxPolicy,
  SandboxViolation,
} from './driver/driver.ts';
import { SandboxUnavailableError } from './driver/sandbox-unavailable-error.ts';
import { bubblewrapDriver } from './drivers/bubblewrap/bubblewrap-driver.ts';
import { noneDriver } from './drivers/none-driver.ts';
import { runtimeDriver } from './drivers/runtime/runtime-driver.ts';
import { heldBy, policyFor, type SandboxPlace } from './policy/policy.ts';
import type { SandboxSettings } from './policy/settings.ts';
import { reportedViolations } from './policy/violations.ts';
import { type SpawnProcessOptions, spawnProcess } from './process/spawn-process.ts';

/** A driver that works here, and the policy that it holds. */
export interface Containment {
  readonly settings: SandboxSettings;
  readonly policy: SandboxPolicy;
  readonly driver: SandboxDriver;
}

/** Options of a contained command. */
export interface ContainedOptions extends Pick<SpawnProcessOptions, 'signal' | 'stdin' | 'mark' | 'onOutput'> {
  /** Paths whose content is not shown, in addition to those of the policy. */
  readonly hidden?: (() => Promise<readonly string[]>) | undefined;
  /** Called once with the refused accesses that are to be reported. */
  readonly onViolations?: ((violations: readonly SandboxViolation[]) => void) | undefined;
}

/**
 * Finds out whether the sandbox of checked settings works on this host: a command is really run in it.
 * @throws ValidationError when the settings contradict themselves or the driver cannot hold them; SandboxUnavailableError with each reason
 */
export async function openContainment(settings: SandboxSettings, place: SandboxPlace): Promise<Containment> {
  const policy = policyFor(settings, place);
  const driver = driverOf(settings);
  const reasons = await driver.probe(policy);
  if (reasons.length > 0) throw new SandboxUnavailableError(reasons.map((reason) => ({ driver: driver.name, reason })));
  return {
    settings,
    driver,
    policy: heldBy(policy, driver.capabilities, { settings, driver: driver.name, prefix: place.prefix }),
  };
}

function driverOf({
  driver = process.platform === 'linux' ? 'bubblewrap' : 'sandbox-runtime',
}: SandboxSettings): SandboxDriver {
  if (typeof driver === 'object') return driver;
  if (driver === 'bubblewrap') return bubblewrapDriver();
  if (driver === 'none') return noneDriver();
  return runtimeDriver();
}

/** Bytes of stderr that a driver sees. */
const TAIL_BYTES = 64 * 1024;

/**
 * Starts a command behind the wall. When the driver has broken, reading its output throws SandboxUnavailableError; it never runs outside.
 * The exit settles when the wall is gone as well.
 */
export function spawnContained(
  { driver, policy, settings }: Containment,
  command: SandboxCommand,
  { onViolations, onOutput, hidden, ...options }: ContainedOptions,
): SpawnedProcess {
  const stderr = tailOf(TAIL_BYTES);
  let [lost, isEnded]: [unknown, boolean] = [undefined, false];
  let running: SpawnedProcess | undefined;
  const starting = start();
  const exit = end();

  async function start() {
    refuseMoved(driver.name, policy);
    const contained = await driver.contain(command, await hiding(policy, hidden));
    const { argv, env, inputs, cwd = '/' } = contained;
    running = spawnProcess(typeof command.command === 'string' ? command.command : '', {
      ...options,
      cwd,
      env,
      argv,
      inputs,
      onOutput(piece) {
        if (piece.channel === 'stderr') stderr.add(piece.bytes);
        onOutput?.(piece);
      },
    });
    if (isEnded) running.kill();
    return { contained, running };
  }

  async function end(): Promise<ProcessExit> {
    try {
      const { contained, running: started } = await starting;
      const ended = await started.exit;
      const { violations, failure } = await contained.finish({ code: ended.code, stderr: stderr.text() });
      if (failure !== undefined) lost = new SandboxUnavailableError([{ driver: driver.name, reason: failure }]);
      else if (violations.length > 0) onViolations?.(reportedViolations(violations, settings));
      return ended;
    } catch (error) {
      lost = error;
      return { code: 126, signal: null };
    }
  }

  async function* output(): SpawnedProcess['output'] {
    const { running: started } = await starting;
    yield* started.output;
    await exit;
    if (lost !== undefined) throw lost;
  }

  return {
    output: output(),
    exit,
    kill() {
      isEnded = true;
      running?.kill();
    },
  };
}

/** A program that stays, and is started by somebody else. */
export interface ContainedProgram extends Pick<ContainedCommand, 'argv' | 'env' | 'inputs'> {
  readonly cwd: string;
  /** To be called once when it has ended. The refused accesses that are to be reported, or why there was no wall. */
  finish(...end: Parameters<ContainedCommand['finish']>): ReturnType<ContainedCommand['finish']>;
}

/** A program behind the wall. @throws SandboxUnavailableError for a directory of the policy that is gone, or has become a link */
export async function containedProgram(
  { driver, policy, settings }: Containment,
  command: SandboxCommand,
): Promise<ContainedProgram> {
  refuseMoved(driver.name, policy);
  const contained = await driver.contain(command, policy);
  const { argv, env, inputs, cwd = '/' } = contained;
  return {
    argv,
    env,
    cwd,
    ...(inputs ? { inputs } : {}),
    async finish(end) {
      const { violations, ...rest } = await contained.finish(end);
      return { ...rest, violations: reportedViolations(violations, settings) };
    },
  };
}

/** A wall is built by names and follows links: another program may have put one in the place of a directory since the sandbox was made. */
function refuseMoved(driver: string, { root, files }: SandboxPolicy): void {
  for (const path of [root, ...files.write, ...files.read]) {
    const now = realPath(path);
    if (now === path) continue;
    const reason = now === undefined ? `${path} is not there any more` : `${path} leads to ${now} by now`;
    throw new SandboxUnavailableError([{ driver, reason }]);
  }
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

async function hiding(policy: SandboxPolicy, hidden: ContainedOptions['hidden']): Promise<SandboxPolicy> {
  if (!hidden) return policy;
  return { ...policy, files: { ...policy.files, hidden: [...policy.files.hidden, ...(await hidden())] } };
}

/** Keeps the last bytes that it is given. */
function tailOf(most: number): { add(bytes: Uint8Array): void; text(): string } {
  let kept: Uint8Array[] = [];
  let size = 0;
  return {
    add(bytes) {
      kept.push(bytes);
      size += bytes.length;
      if (size <= 2 * most) return;
      kept = [Buffer.concat(kept).subarray(-most)];
      size = most;
    },
    text: () => Buffer.concat(kept).subarray(-most).toString(),
  };
}
