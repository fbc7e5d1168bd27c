import { AbortError, type ToolContext } from '@x/core';
import { joinPath } from '../files/workspace-path.ts';
import { decodeLoosely } from '../text/decode-text.ts';
import { type Line, matchingLines } from './file-lines.ts';
import type { LinePattern } from './line-pattern.ts';
import { ripgrepCandidates } from './ripgrep-candidates.ts';

/** A file and its matches; `lines` are found as they are read. */
export interface FileMatches {
  /** From the root of the search. */
  readonly path: string;
  readonly text: string;
  readonly lines: AsyncGenerator<Line, void, void>;
}
export interface SearchOptions extends Pick<ToolContext, 'workspace' | 'signal'> {
  /** The directory the paths of the files start at. */
  readonly root: string;
  readonly pattern: LinePattern;
  /** True for one file that was asked for: that it cannot be read is an error. Default false: what cannot be read is skipped. */
  readonly isNamed?: boolean;
  /** Least number of files for which ripgrep is used first. Default 64: for fewer it costs more than it saves. */
  readonly ripgrepFrom?: number;
}

// Linux accepts a command line of at most 128 KiB.
const MAX_BATCH_CHARACTERS = 80_000;
const READS_AT_ONCE = 16;

/**
 * Searches files, given from `root`, in their order. Ripgrep, if present, only rules files out; the lines are found here, so that the
 * answer is the same without it. Files with a NUL are skipped, and unreadable ones of a walk.
 * @throws AbortError; for a named file errors of the workspace
 */
export async function* searchFiles(
  files: AsyncIterable<string>,
  options: SearchOptions,
): AsyncGenerator<FileMatches, void, void> {
  const { pattern, signal } = options;
  const required = pattern.ignoreCase ? '' : pattern.required;
  for await (const batch of batchesOf(files)) {
    const candidates = await candidatesOf(batch, options);
    for (let at = 0; at < candidates.length; at += READS_AT_ONCE) {
      if (signal.aborted) throw new AbortError();
      const texts = await Promise.all(
        candidates.slice(at, at + READS_AT_ONCE).map((path) => textOfPath(path, options)),
      );
      for (const [index, text] of texts.entries()) {
        if (text === undefined || !text.includes(required)) continue;
        yield { path: candidates[at + index]!, text, lines: matchingLines(text, pattern, signal) };
      }
    }
  }
}

async function candidatesOf(batch: readonly string[], options: SearchOptions): Promise<readonly string[]> {
  if (options.pattern.required === '' || batch.length < (options.ripgrepFrom ?? 64)) return batch;
  return (await ripgrepCandidates(batch, options)) ?? batch;
}

async function textOfPath(path: string, { workspace, root, isNamed }: SearchOptions): Promise<string | undefined> {
  const reading = workspace.readFile(joinPath(root, path));
  const bytes = await (isNamed ? reading : reading.catch(() => undefined)); // as grep -s: what cannot be read holds nothing
  return bytes && decodeLoosely(bytes);
}

async function* batchesOf(files: AsyncIterable<string>): AsyncGenerator<string[], void, void> {
  let batch: string[] = [];
  let characters = 0;
  for await (const file of files) {
    // The limit is in bytes: a character may take three, a quote four.
    const cost = new TextEncoder().encode(file).length + 4 * file.split("'").length;
    if (characters + cost > MAX_BATCH_CHARACTERS && batch.length > 0) {
      yield batch;
      batch = [];
      characters = 0;
    }
    batch.push(file);
    characters += cost;
  }
  if (batch.length > 0) yield batch;
}
