import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AbortError, ValidationError } from '@x/core';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { type Containment, openContainment, spawnContained } from './containment.ts';
import type { SandboxCapabilities, SandboxViolation } from './driver/driver.ts';
import { commandEnvironment } from './environment.ts';
import { isBelow } from './policy/is-below.ts';
import { type SandboxSettings, SETTINGS } from './policy/settings.ts';

/** Options of a sandbox: its settings, and its place. */
export interface CreateSandboxOptions
  extends Omit<
    SandboxSettings,
    'enabled' | 'autoAllowBashIfSandboxed' | 'allowUnsandboxedCommands' | 'excludedCommands' | 'hooks' | 'mcp'
  > {
  /** The directory that may be written, and where commands start. Default: that of this process. */
  readonly cwd?: string;
  /** Added to PATH, LANG and TERM of this process, the only variables passed on, and HOME and TMPDIR of the sandbox. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Options of one command. */
export interface SandboxRunOptions {
  readonly signal?: AbortSignal;
  readonly env?: Readonly<Record<string, string>>;
  /** A text, or bytes. Default: an empty input. */
  readonly input?: string | Uint8Array;
  /** A directory of the sandbox, relative to its own. */
  readonly cwd?: string;
  /** Called with each piece of output as it arrives, also of what is not kept. */
  readonly onOutput?: (piece: { readonly channel: 'stdout' | 'stderr'; readonly text: string }) => void;
}

/** The end of a command. */
export interface SandboxResult {
  /** Null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal?: string;
  readonly stdout: string;
  readonly stderr: string;
  /** True when output was cut; the text says so too. */
  readonly truncated: boolean;
  readonly timedOut: boolean;
  readonly violations: readonly SandboxViolation[];
  readonly durationMs: number;
}

/** A sandbox of its own, for commands of a host. */
export interface Sandbox extends AsyncDisposable {
  readonly driver: string;
  readonly capabilities: SandboxCapabilities;
  /**
   * Runs a line with bash, or a program with its arguments. A code other than 0, a signal and the time-out are results. @throws
   * ValidationError for a misuse; AbortError; SandboxUnavailableError when the driver has broken: the command did not run
   */
  run(command: string | readonly string[], options?: SandboxRunOptions): Promise<SandboxResult>;
  /** Ends every command under way and waits until nothing of them is left. Later calls of `run` are refused. */
  close(): Promise<void>;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const DEFAULT_OUTPUT_BYTES = 1024 * 1024;

const {
  enabled: _enabled,
  autoAllowBashIfSandboxed: _auto,
  allowUnsandboxedCommands: _offered,
  excludedCommands: _excluded,
  hooks: _hooks,
  mcp: _mcp,
  ...OWN
} = SETTINGS;
const OPTIONS: OptionRules<CreateSandboxOptions> = { ...OWN, cwd: is.filePath, env: is.recordOf(is.text) };
const RUN: OptionRules<SandboxRunOptions> = {
  signal: is.abortSignal,
  env: is.recordOf(is.text),
  input: is.rule('a text or bytes', (value) => typeof value === 'string' || value instanceof Uint8Array),
  cwd: is.filePath,
  onOutput: is.callback,
};

/**
 * Creates a sandbox after a command has really run in it. Close it.
 * @throws ValidationError for an option that is unknown, contradicts another one or cannot be held; SandboxUnavailableError
 */
export async function createSandbox(options: CreateSandboxOptions = {}): Promise<Sandbox> {
  checkOptions('createSandbox options', options, OPTIONS);
  const { cwd = process.cwd(), env = {}, ...settings } = options;
  const containment = await openContainment(settings, { cwd: resolve(cwd) });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const close = async () => {
    closing.abort();
    await Promise.all(running);
  };
  return {
    driver: containment.driver.name,
    capabilities: containment.driver.capabilities,
    run(command, options = {}) {
      const result = runOnce({ containment, env, closing: closing.signal }, command, options);
      const done: Promise<unknown> = result.then(forget, forget);
      function forget(): void {
        running.delete(done);
      }
      running.add(done);
      return result;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The sandbox that a command runs in. */
interface Box {
  readonly containment: Containment;
  readonly env: Readonly<Record<string, string>>;
  readonly closing: AbortSignal;
}

async function runOnce(
  { containment, env, closing }: Box,
  command: string | readonly string[],
  options: SandboxRunOptions,
): Promise<SandboxResult> {
  checkOptions('run options', options, RUN);
  checkCommand(command);
  if (closing.aborted) throw new ValidationError('This sandbox is closed; create another one', 'command');
  const { policy, settings } = containment;
  const limit = settings.limits?.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const timeout = AbortSignal.timeout(limit);
  const signals = [timeout, closing, ...(options.signal ? [options.signal] : [])];
  if (options.signal?.aborted) throw new AbortError();
  const begun = performance.now();
  const kept = keptOutput(settings.limits?.outputBytes ?? DEFAULT_OUTPUT_BYTES, options.onOutput);
  let violations: readonly SandboxViolation[] = [];
  const started = spawnContained(
    containment,
    {
      command,
      cwd: directoryOf(options.cwd, policy.root),
      env: { ...commandEnvironment(), ...env, ...options.env },
    },
    {
      signal: AbortSignal.any(signals),
      ...(options.input === undefined ? {} : { stdin: Buffer.from(options.input) }),
      onViolations: (found) => (violations = found),
    },
  );
  for await (const piece of started.output) kept.add(piece);
  const { code, signal } = await started.exit;
  if (options.signal?.aborted || closing.aborted) throw new AbortError();
  return {
    exitCode: code,
    ...(signal === null ? {} : { signal }),
    ...kept.end(),
    timedOut: timeout.aborted && code === null,
    violations,
    durationMs: performance.now() - begun,
  };
}

function checkCommand(command: unknown): void {
  const words: unknown[] = Array.isArray(command) ? command : [command];
  const isText = words.length > 0 && words.every((word) => typeof word === 'string') && words[0] !== '';
  if (!isText) throw new ValidationError('command must be a line, or a program and its arguments as texts', 'command');
  if (words.some((word) => word.includes('\0'))) {
    throw new ValidationError('A command must not hold a NUL character', 'command');
  }
}

/** By its real place, where the command starts. @throws ValidationError for one that is missing, or outside */
function directoryOf(cwd: string | undefined, root: string): string {
  if (cwd === undefined) return root;
  const directory = realDirectory(resolve(root, cwd));
  if (directory !== undefined && isBelow(directory, root)) return directory;
  throw new ValidationError(`cwd '${cwd}' is no directory inside of the sandbox`, 'cwd');
}

function realDirectory(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? realpathSync(path) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps the beginning of each channel, and passes all of it on. */
function keptOutput(most: number, onOutput: SandboxRunOptions['onOutput']) {
  const channels = { stdout: channel(most), stderr: channel(most) };
  return {
    add({ channel: name, bytes }: { readonly channel: 'stdout' | 'stderr'; readonly bytes: Uint8Array }): void {
      const text = channels[name].add(bytes);
      if (text !== '') onOutput?.({ channel: name, text });
    },
    end() {
      const { stdout, stderr } = channels;
      return { stdout: stdout.end(), stderr: stderr.end(), truncated: stdout.cut() > 0 || stderr.cut() > 0 };
    },
  };
}

function channel(most: number) {
  const told = new TextDecoder();
  const pieces: Uint8Array[] = [];
  let room = most;
  let cut = 0;
  return {
    add(bytes: Uint8Array): string {
      if (room > 0) pieces.push(bytes.subarray(0, room));
      cut += Math.max(0, bytes.length - room);
      room = Math.max(0, room - bytes.length);
      return told.decode(bytes, { stream: true });
    },
    cut: () => cut,
    end: () => `${Buffer.concat(pieces).toString()}${cut > 0 ? `\n[${cut} bytes more were cut]` : ''}`,
  };
}
