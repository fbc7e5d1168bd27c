import type { Workspace } from '@x/core';
import type { LinePattern } from './line-pattern.ts';

// --text and --encoding=none make ripgrep read the same bytes as we do: it must never find less.
const COMMAND =
  'rg --no-config --no-messages --color=never --text --encoding=none --files-with-matches --null --fixed-strings';
const NOT_FOUND = 127;

export interface CandidateOptions {
  readonly workspace: Workspace;
  readonly root: string;
  readonly pattern: LinePattern;
  readonly signal: AbortSignal;
}

/** Environments without ripgrep; each is tried once. */
const withoutRipgrep = new WeakSet<Workspace['env']>();

/**
 * The files, given from `root`, that contain the pattern's required text according to ripgrep, in the given order. Undefined when ripgrep
 * is missing or has failed, and every file must be searched.
 */
export async function ripgrepCandidates(
  files: readonly string[],
  { workspace, root, pattern, signal }: CandidateOptions,
): Promise<readonly string[] | undefined> {
  if (withoutRipgrep.has(workspace.env) || !root.isWellFormed()) return undefined;
  const named = files.filter((file) => file.isWellFormed()); // no command line can name the others
  if (named.length === 0) return files;
  const flags = pattern.ignoreCase ? ' --ignore-case' : ' --case-sensitive';
  const command = `${COMMAND}${flags} --regexp=${quoted(pattern.required)} -- ${named.map(quoted).join(' ')}`;
  const running = workspace.spawn(command, { signal, cwd: root, readonly: true });
  const decoder = new TextDecoder();
  let output = '';
  try {
    for await (const { channel, bytes } of running.output) {
      if (channel === 'stdout') output += decoder.decode(bytes, { stream: true });
    }
  } catch {
    return undefined; // no command can see the root: it may lie outside of a sandbox
  }
  const { code } = await running.exit;
  if (code === NOT_FOUND) withoutRipgrep.add(workspace.env);
  if (code !== 0 && code !== 1) return undefined;
  const found = new Set((output + decoder.decode()).split('\0'));
  return files.filter((file) => found.has(file) || !file.isWellFormed());
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
