/** The abilities of a driver on this host; a policy that needs more is refused. */
export interface SandboxCapabilities {
  /** `none`: no network at all; `host`: that of this machine; `domains`: only hosts of a list. */
  readonly network: readonly ('none' | 'host' | 'domains')[];
  /** Who reaches a port that a command listens on: `isolated`, processes of the same call; `real`, everybody on this machine. */
  readonly localBinding: 'isolated' | 'real';
  readonly unixSockets: 'by-path' | 'all-or-none';
  readonly limits: readonly ('cpuSeconds' | 'memoryMb' | 'processes' | 'fileSizeMb')[];
  /** `open`: commands read and write what the user may, so nothing can be hidden from them or kept. Default: they see the policy's places. */
  readonly files?: 'open';
}

/** A refused access, found by a driver. */
export interface SandboxViolation {
  readonly kind: 'file' | 'network';
  /** The path or the host. */
  readonly detail: string;
}

/** The limits and places of one command, every path absolute and with its links resolved. */
export interface SandboxPolicy {
  /** The directory of the session; writable. */
  readonly root: string;
  readonly files: {
    readonly write: readonly string[];
    /** Inside of what may be written. */
    readonly readOnly: readonly string[];
    readonly read: readonly string[];
    readonly hidden: readonly string[];
  };
  readonly network: {
    readonly mode: 'none' | 'host' | 'domains';
    readonly allowedDomains: readonly string[];
    readonly deniedDomains: readonly string[];
    readonly unixSockets: 'none' | 'all' | readonly string[];
    readonly localBinding: boolean;
  };
  readonly limits: {
    readonly cpuSeconds?: number;
    readonly memoryMb?: number;
    readonly processes?: number;
    readonly fileSizeMb?: number;
  };
}

/** One command to contain. */
export interface SandboxCommand {
  /** A line for a shell, or a program and its arguments. */
  readonly command: string | readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** The whole environment of the command. */
  readonly env: Readonly<Record<string, string>>;
}

/** A contained command, ready to be started by this process. */
export interface ContainedCommand {
  /** The program by its absolute path, and its arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where the program is started. Default: `/`. */
  readonly cwd?: string;
  /** Written to the command's descriptors from 3 on, each of which then ends. */
  readonly inputs?: readonly Uint8Array[];
  /** Called once when the command has ended, also when it could not be started. `stderr` is the end of what it wrote, at most 64 KiB. */
  finish(end: { readonly code: number | null; readonly stderr: string }): Promise<ContainedEnd>;
}

/** The facts that a driver has found about an ended command. */
export interface ContainedEnd {
  readonly violations: readonly SandboxViolation[];
  /** The reason why there was no wall, so that the command did not run. */
  readonly failure?: string;
}

/** Keeps commands behind a wall. */
export interface SandboxDriver {
  readonly name: string;
  /** As of the last probe. */
  readonly capabilities: SandboxCapabilities;
  /**
   * Really runs a command behind the wall, and says why that does not work, each reason with what to do about it; empty when it does.
   * Called once for each session and sandbox, before anything runs.
   */
  probe(policy: SandboxPolicy): Promise<readonly string[]>;
  /** Decides how to start one command. @throws SandboxUnavailableError; never a command without the wall */
  contain(command: SandboxCommand, policy: SandboxPolicy): Promise<ContainedCommand>;
}

export function isDriver(value: unknown): value is SandboxDriver {
  const { name, probe, contain } = (value ?? {}) as Partial<SandboxDriver>; // safe: only looked at
  return typeof name === 'string' && typeof probe === 'function' && typeof contain === 'function';
}
