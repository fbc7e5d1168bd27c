/** What a path is, of itself. */
export type FileKind = 'file' | 'directory' | 'symlink' | 'other';
/** Size in bytes, permission bits, milliseconds since 1970. */
export interface FileStat {
  readonly kind: FileKind;
  readonly size: number;
  readonly mode: number;
  readonly modifiedMs: number;
}
/** How a command is run. */
export interface SpawnOptions {
  readonly signal: AbortSignal;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** The caller vouches that the command changes no file; nothing is scanned around it. */
  readonly readonly?: boolean;
  /** From `commands.mark()`: by it the command and all it has started are found again. */
  readonly mark?: string;
}
/** A piece of what a command has printed. */
export interface ProcessOutput {
  readonly channel: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}
/** How a command ended; one of the two is null. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}
/** A command that is running. */
export interface SpawnedProcess {
  /** In the order of arrival; the process waits when nobody reads. */
  readonly output: AsyncIterable<ProcessOutput>;
  /** Settles when the process has ended and its output is closed. Never rejects. */
  readonly exit: Promise<ProcessExit>;
  /** Ends the process and all its children. */
  kill(): void;
}
/** How a request is made. */
export interface FetchOptions {
  /**
   * Judges where the request goes: asked about every IP address that its host stands for, before the connection; false for one of them
   * refuses the request. The connection goes to an address that was judged. A caller that was not asked must not trust the response.
   */
  readonly admitsAddress?: (address: string) => boolean;
}
/** Finds commands that have outlived their host, from another process too. */
export interface MarkedCommands {
  /** A fresh mark, for the commands of one call. */
  mark(): string;
  /**
   * Ends what bears the mark and waits until it is gone: true when there was something. Undefined when that cannot be known from
   * here, or it does not end.
   */
  end(mark: string): Promise<boolean | undefined>;
}
/** The only doors through which a tool touches the world. A plain object, so that a narrowed one is a spread. */
export interface Workspace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The path with the links of its deepest existing ancestor resolved. */
  resolve(path: string): Promise<string>;
  readFile(path: string): Promise<Uint8Array>;
  /** Replaces the whole file in one step; parents are created. */
  writeFile(path: string, content: Uint8Array, options?: { readonly mode?: number }): Promise<void>;
  makeLink(path: string, target: string): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  /** A file, a link or an empty directory. */
  remove(path: string): Promise<void>;
  /** Of the path itself, never of what a link points to. */
  stat(path: string): Promise<FileStat | undefined>;
  list(directory: string): AsyncIterable<{ readonly name: string; readonly kind: FileKind }>;
  spawn(command: string, options: SpawnOptions): SpawnedProcess;
  /** Absent where no command can outlive this process, or none could be found again. */
  readonly commands?: MarkedCommands;
  /** @throws AuthorizationError for an address that `admitsAddress` refuses */
  fetch(request: Request, options?: FetchOptions): Promise<Response>;
}
