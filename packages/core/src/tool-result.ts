import type { FileBlock, ImageBlock } from './message.ts';

/** The effect of a tool on the outside: none, changed files, or anything. */
export type ToolKind = 'readonly' | 'write' | 'execute';
/** Allows the repetition of a call. `idempotent`: yes, with the same key. Default: `readonly` is pure, the rest `non_idempotent`. */
export type ToolEffect = 'pure' | 'idempotent' | 'non_idempotent';
/** The subject that a permission rule such as `Bash(git *)` or `Read(**\/.env)` is matched against. */
export type ToolSubject =
  | { readonly type: 'command'; readonly line: string }
  | { readonly type: 'paths'; readonly paths: readonly string[] }
  | { readonly type: 'url'; readonly url: string };
/** The finished answer of a tool. */
export interface ToolResult {
  /** The text for the model. */
  readonly output: string;
  readonly isError: boolean;
  /** Set when the call did not run to its end: it never began, or its effect is not known. */
  readonly interrupted?: 'not_run' | 'unknown';
  /** The unserialised value, for callers in this process. Not recorded. */
  readonly data?: unknown;
  readonly images?: readonly ImageBlock[];
  readonly files?: readonly FileBlock[];
}
