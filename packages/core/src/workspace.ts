/** The kind of a path itself. */
export type FileKind = 'file' | 'directory' | 'symlink' | 'other';
/** Size in bytes, permission bits, milliseconds since 1970. */
export interface FileStat {
  readonly kind: FileKind;
  readonly size: number;
  readonly mode: number;
  readonly modifiedMs: number;
}
/** Options of a method that takes a path. */
export interface PathOptions {
  /**
   * The path is a place that `resolve()` has returned, and is meant as such: a link that has come into it meanwhile is not followed. Such a
   * path is refused with `PATH_CHANGED`. Default false: links are followed. A workspace whose links cannot change may ignore it.
   */
  readonly noFollow?: boolean;
}
/** Options of a command. */
export interface SpawnOptions {
  readonly signal: AbortSignal;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: Uint8Array;
  /** The caller guarantees that the command changes no file; nothing is scanned around it. */
  readonly readonly?: boolean;
  /** From `commands.mark()`: identifies the command and all processes it has started. */
  readonly mark?: string;
}
/** A piece of a command's output. */
export interface ProcessOutput {
  readonly channel: 'stdout' | 'stderr';
  readonly bytes: Uint8Array;
}
/** The end of a command; one of the two is null. */
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
/** Options of a request. */
export interface FetchOptions {
  /**
   * Decides about the target: called with every IP address of the host, before the connection; false for one of them refuses the request.
   * The connection goes to a checked address. If it was not called, the response must not be trusted.
   */
  readonly admitsAddress?: (address: string) => boolean;
}
/** Finds commands that have outlived their host, from another process too. */
export interface MarkedCommands {
  /** A fresh mark, for the commands of one call. */
  mark(): string;
  /**
   * Ends the marked processes and waits until they are gone: true when there were any. Undefined when that cannot be known from here, or
   * one does not end.
   */
  end(mark: string): Promise<boolean | undefined>;
}
/** The only access of a tool to the outside. A plain object, so that a narrowed one is a spread. */
export interface Workspace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The path with the links of its deepest existing ancestor resolved. */
  resolve(path: string): Promise<string>;
  readFile(path: string, options?: PathOptions): Promise<Uint8Array>;
  /** Replaces the whole file in one step; parents are created. `mode`: permission bits; default: those of the file that is replaced. */
  writeFile(path: string, content: Uint8Array, options?: PathOptions & { readonly mode?: number }): Promise<void>;
  makeLink(path: string, target: string, options?: PathOptions): Promise<void>;
  makeDirectory(path: string, options?: PathOptions): Promise<void>;
  /** A file, a link or an empty directory. */
  remove(path: string, options?: PathOptions): Promise<void>;
  /** Describes the path itself, never the target of a link. */
  stat(path: string, options?: PathOptions): Promise<FileStat | undefined>;
  list(directory: string, options?: PathOptions): AsyncIterable<{ readonly name: string; readonly kind: FileKind }>;
  spawn(command: string, options: SpawnOptions): SpawnedProcess;
  /** Absent when no command can outlive this process, or none could be found again. */
  readonly commands?: MarkedCommands;
  /** @throws AuthorizationError for an address that `admitsAddress` refuses */
  fetch(request: Request, options?: FetchOptions): Promise<Response>;
}
