import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { isDriver, type SandboxDriver } from '../driver/driver.ts';
import { hostPatterns } from './host-pattern.ts';

/** Access to the network; all of it is off by default. */
export interface NetworkSettings {
  /**
   * A command may listen on a port and be reached there. With `bubblewrap` only by processes of the same call: each call has a network of
   * its own, in which listening always works. Default: false.
   */
  readonly allowLocalBinding?: boolean;
  /** Any UNIX socket that the command sees may be connected to. Default: false. */
  readonly allowAllUnixSockets?: boolean;
  /** Paths of the UNIX sockets that may be connected to. Default: none. */
  readonly allowedUnixSockets?: readonly string[];
  /**
   * Hosts that may be reached: `example.com`, `*.example.com`, `example.com:8443`. `['*']` is the network of this machine, its own services
   * included; an empty list is none. Names need a driver with the capability `domains`: `sandbox-runtime`. Default: none.
   */
  readonly allowedDomains?: readonly string[];
  /** Hosts that stay closed although a pattern of `allowedDomains` fits. Default: none. */
  readonly deniedDomains?: readonly string[];
}

/** Access to files, in addition to the working directory. Paths: absolute, below `~/`, or relative to the working directory. */
export interface FilesystemSettings {
  /** Directories that may be written, too. */
  readonly allowWrite?: readonly string[];
  /** Paths that stay as they are, inside of what may be written. */
  readonly denyWrite?: readonly string[];
  /** Paths that may be read, beside the system's programs, libraries and `/etc`. */
  readonly allowRead?: readonly string[];
  /** Paths whose content is not shown. */
  readonly denyRead?: readonly string[];
}

/** What one command may take; each process of it counts for itself, but for `processes` and `timeoutMs`. */
export interface SandboxLimits {
  /** Milliseconds until the command is ended. Default: 120,000. Refused in a session, where the time-out of the tool counts. */
  readonly timeoutMs?: number;
  /** Seconds of CPU time of a process. Default: none. */
  readonly cpuSeconds?: number;
  /** Mebibytes of memory of a process, and of its private `/tmp`. Default: 4,096. */
  readonly memoryMb?: number;
  /** Processes and threads at a time. Default: 512 where the driver can hold it. */
  readonly processes?: number;
  /** Mebibytes of a written file. Default: 2,048. */
  readonly fileSizeMb?: number;
  /** Bytes of output that are kept of stdout, and of stderr. Default: 1,048,576. Refused in a session, where the tool's limit counts. */
  readonly outputBytes?: number;
}

/** Settings of the sandbox that commands run in. */
export interface SandboxSettings {
  /** Every process that a tool starts runs in the sandbox; without a driver that works nothing is created. Default: false. */
  readonly enabled?: boolean;
  /** Skips the question for a Bash call that runs in the sandbox; deny and ask rules, hooks and plan mode still win. Default: false. */
  readonly autoAllowBashIfSandboxed?: boolean;
  /**
   * Commands such as `git` or `npm install` for which running outside is offered, as a question, after the sandboxed run has failed.
   * Default: none, so never.
   */
  readonly allowUnsandboxedCommands?: readonly string[];
  /**
   * Commands that run outside from the start, through the normal permissions: every command of the line must match, without substitution,
   * expansion, redirect or assignment. Default: none.
   */
  readonly excludedCommands?: readonly string[];
  /** Absent: no network. */
  readonly network?: NetworkSettings;
  readonly filesystem?: FilesystemSettings;
  readonly limits?: SandboxLimits;
  /** Patterns of paths whose refused accesses are not reported; they are refused all the same. `*` is any text. Default: none. */
  readonly ignoreFileViolations?: readonly string[];
  /** The same for hosts. Default: none. */
  readonly ignoreNetworkViolations?: readonly string[];
  /**
   * `sandbox-runtime` needs the package `@anthropic-ai/sandbox-runtime` 0.0.83, on Linux also bubblewrap, socat and ripgrep; it is refused
   * as root and on Windows, and keeps commands from fewer system calls than `bubblewrap` does. `none` runs commands without any wall, and
   * only when it is named. Default: `bubblewrap` on Linux, `sandbox-runtime` on other systems.
   */
  readonly driver?: 'bubblewrap' | 'sandbox-runtime' | 'none' | SandboxDriver;
  /** Command hooks run in the sandbox as well. Default: false. */
  readonly hooks?: boolean;
  /** Stdio servers of MCP run in the sandbox as well. Default: false. */
  readonly mcp?: boolean;
}

const DRIVER_NAMES = ['bubblewrap', 'sandbox-runtime', 'none'] as const;

const paths = is.listOf(is.filePath, 'a list of paths');
const names = is.listOf(is.words, 'a list of texts');

const hosts = is.listOf(
  is.rule('a host, in which * is any text', (value) => typeof value === 'string' && /^[\w.*:[\]-]+$/.test(value)),
  'a list of hosts',
);

const NETWORK: OptionRules<NetworkSettings> = {
  allowLocalBinding: is.flag,
  allowAllUnixSockets: is.flag,
  allowedUnixSockets: paths,
  allowedDomains: hostPatterns,
  deniedDomains: hostPatterns,
};
const FILESYSTEM: OptionRules<FilesystemSettings> = {
  allowWrite: paths,
  denyWrite: paths,
  allowRead: paths,
  denyRead: paths,
};
const LIMITS: OptionRules<SandboxLimits> = {
  timeoutMs: is.count(1, 2 ** 31 - 1),
  cpuSeconds: is.count(),
  memoryMb: is.count(1, 2 ** 30),
  processes: is.count(2),
  fileSizeMb: is.count(1, 2 ** 30),
  outputBytes: is.count(),
};
export const SETTINGS: OptionRules<SandboxSettings> = {
  enabled: is.flag,
  autoAllowBashIfSandboxed: is.flag,
  allowUnsandboxedCommands: names,
  excludedCommands: names,
  network: is.nested(NETWORK),
  filesystem: is.nested(FILESYSTEM),
  limits: is.nested(LIMITS),
  ignoreFileViolations: names,
  ignoreNetworkViolations: hosts,
  driver: is.either(is.oneOf(...DRIVER_NAMES), is.rule('a driver', isDriver)),
  hooks: is.flag,
  mcp: is.flag,
};

/** @throws ValidationError naming the first field that is unknown or invalid */
export function checkSettings(settings: unknown, path = 'sandbox'): asserts settings is SandboxSettings {
  checkOptions(path, settings, SETTINGS, path);
}
