import { AbortError, defineTool, objectSchema, type Tool, type ToolContext, type ToolOutput } from '@x/core';
import { globPattern } from './files/glob-pattern.ts';
import { followedStat, missingFile } from './files/missing-file.ts';
import { walkFiles } from './files/walk-files.ts';
import { joinPath, pathFrom } from './files/workspace-path.ts';
import { BoundedLines } from './text/bounded-lines.ts';
import { failure } from './text/failure.ts';
import { counted } from './text/numbered-lines.ts';

const MAX_PATHS = 1_000;
const STATS_AT_ONCE = 32;

export interface GlobInput {
  pattern: string;
  path?: string;
}

/** The paths of files that match, newest first. */
export function globTool(): Tool<GlobInput> {
  return defineTool({
    name: 'Glob',
    description:
      'Finds files by a pattern on their path and lists them newest first, at most 1000. * is any run of characters in a name, ' +
      '? one, [abc] a set, ** any directories, {a,b} alternatives: "**/*.ts", "src/**/*.{js,css}". "*.ts" matches only directly ' +
      'in the directory. Files that .gitignore names and .git are left out; names with a leading dot need a dot in the pattern. ' +
      'Paths are relative to the working directory.',
    inputSchema: objectSchema({
      pattern: { type: 'string', description: 'The pattern.' },
      path: {
        type: 'string',
        description: 'The directory to search in. Default: the working directory.',
        optional: true,
      },
    }),
    kind: 'readonly',
    subject: ({ pattern, path }) => ({ type: 'paths', paths: [searchedPath(pattern, path)] }),
    execute: glob,
  });
}

/** Implements `Glob`. */
export async function glob({ pattern, path }: GlobInput, { workspace, signal }: ToolContext): Promise<ToolOutput> {
  const parsed = globPattern(pattern);
  if (!parsed) return failure('The braces of the pattern stand for too many alternatives; at most 256 are taken.');
  if (pattern === '') return failure('The pattern is empty; "**/*" finds all files.');
  const directory = searchedPath(pattern, path);
  const root = joinPath(workspace.cwd, directory);
  const found = await followedStat(workspace, root);
  if (!found) return failure(await missingFile(workspace, directory));
  if (found.kind !== 'directory') return failure(`${directory} is not a directory.`);
  const paths: string[] = [];
  const enters = (each: string) => parsed.mayHold(each);
  for await (const entry of walkFiles({ workspace, root, signal, enters })) {
    if (entry.kind !== 'other' && parsed.matches(entry.path)) paths.push(joinPath(root, entry.path));
  }
  return listing(await newestFirst(paths, { workspace, signal }), workspace.cwd);
}

/** The directory that a pattern is searched in. */
export function searchedPath(pattern: string, path = '.'): string {
  const base = globPattern(pattern)?.base ?? '';
  if (base === '') return path;
  return base.startsWith('/') ? base : `${path === '.' ? '' : `${path}/`}${base}`;
}

async function newestFirst(
  paths: readonly string[],
  { workspace, signal }: Pick<ToolContext, 'workspace' | 'signal'>,
): Promise<string[]> {
  const dated: { path: string; modifiedMs: number }[] = [];
  for (let at = 0; at < paths.length; at += STATS_AT_ONCE) {
    if (signal.aborted) throw new AbortError();
    const stats = paths.slice(at, at + STATS_AT_ONCE).map(async (path) => {
      return { path, modifiedMs: (await workspace.stat(path))?.modifiedMs ?? 0 };
    });
    dated.push(...(await Promise.all(stats)));
  }
  return dated
    .sort((one, other) => other.modifiedMs - one.modifiedMs || (one.path < other.path ? -1 : 1))
    .map(({ path }) => path);
}

function listing(paths: readonly string[], cwd: string): string {
  if (paths.length === 0) return 'No files match.';
  const bounded = new BoundedLines();
  paths.slice(0, MAX_PATHS).every((path) => bounded.add(pathFrom(cwd, path)));
  const shown = bounded.lines.length;
  if (shown === paths.length) return bounded.text();
  return bounded.text(
    `The newest ${counted(shown)} of ${counted(paths.length)} files are shown; narrow the pattern or the path.`,
  );
}
