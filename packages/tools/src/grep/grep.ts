import { defineTool, objectSchema, type Tool, type ToolContext, type ToolOutput, ValidationError } from '@x/core';
import { fileFilter } from '../files/glob-pattern.ts';
import { followedStat, missingFile } from '../files/missing-file.ts';
import { walkFiles } from '../files/walk-files.ts';
import { joinPath, pathFrom, splitPath } from '../files/workspace-path.ts';
import { failure } from '../text/failure.ts';
import { type GrepOutputMode, grepReport } from './grep-report.ts';
import { linePattern } from './line-pattern.ts';
import { searchFiles } from './search-files.ts';

const DEFAULT_LIMIT = 250;
const MAX_CONTEXT = 100;

export interface GrepInput {
  pattern: string;
  path?: string;
  glob?: string;
  output_mode?: GrepOutputMode;
  case_insensitive?: boolean;
  context?: number;
  limit?: number;
}

/** Searches the lines of files for a regular expression; the answer does not depend on ripgrep. */
export function grepTool(): Tool<GrepInput> {
  return defineTool({
    name: 'Grep',
    description:
      'Searches files for a regular expression, line by line, sorted by path. Files that .gitignore names, .git and binary files ' +
      'are left out; dot files are searched. The expression is written as in JavaScript: \\b, \\w and \\d know ' +
      'ASCII only, \\p{L} is any letter; look-around and back references are refused. Shows at most 250 matching lines (or files) unless limit says ' +
      'otherwise, and at most 30,000 characters.',
    inputSchema: objectSchema({
      pattern: { type: 'string', description: 'The regular expression.' },
      path: {
        type: 'string',
        description: 'The file or directory to search. Default: the working directory.',
        optional: true,
      },
      glob: {
        type: 'string',
        description:
          'Only files that match, such as "*.ts", "src/**/*.{js,css}" (from the searched directory) or "!*.test.ts".',
        optional: true,
      },
      output_mode: {
        type: 'string',
        description:
          'content: path:number:line (default). files_with_matches: paths. count: path:number of matching lines.',
        enum: ['content', 'files_with_matches', 'count'],
        optional: true,
      },
      case_insensitive: { type: 'boolean', description: 'Capitals and small letters are the same.', optional: true },
      context: {
        type: 'integer',
        description: 'Lines to show before and after each match, with content.',
        minimum: 0,
        maximum: MAX_CONTEXT,
        optional: true,
      },
      limit: {
        type: 'integer',
        description: 'The most matching lines, or files, to show.',
        minimum: 1,
        optional: true,
      },
    }),
    kind: 'readonly',
    subject: ({ path = '.' }) => ({ type: 'paths', paths: [path] }),
    execute: grep,
  });
}

async function grep(input: GrepInput, { workspace, signal }: ToolContext): Promise<ToolOutput> {
  const { path = '.', output_mode: mode = 'content', limit = DEFAULT_LIMIT, context = 0 } = input;
  const filter = chosenBy(input.glob);
  if (!filter) return failure('The braces of glob stand for too many alternatives; at most 256 are taken.');
  const place = joinPath(workspace.cwd, path);
  const found = await followedStat(workspace, place);
  if (!found) return failure(await missingFile(workspace, path));
  if (found.kind === 'other') return failure(`${path} is not a file or directory.`);
  const isFile = found.kind === 'file';
  const root = isFile ? splitPath(place).directory : place;
  try {
    const pattern = linePattern(input.pattern, { ignoreCase: input.case_insensitive ?? false });
    const files = isFile ? one(splitPath(place).name) : chosenFiles({ workspace, signal, root }, filter);
    const matches = searchFiles(files, { workspace, signal, root, pattern, isNamed: isFile });
    const shown = (file: string) => pathFrom(workspace.cwd, joinPath(root, file));
    return await grepReport(matches, { mode, limit, context, shown });
  } catch (error) {
    if (error instanceof ValidationError && error.field === 'pattern') return failure(error.message);
    throw error;
  }
}

function chosenBy(glob: string | undefined): ((path: string) => boolean) | undefined {
  if (glob === undefined) return () => true;
  const filter = fileFilter(glob.replace(/^!/, ''));
  return filter && glob.startsWith('!') ? (path) => !filter(path) : filter;
}

async function* chosenFiles(
  place: Pick<ToolContext, 'workspace' | 'signal'> & { readonly root: string },
  filter: (path: string) => boolean,
): AsyncGenerator<string, void, void> {
  for await (const { path, kind } of walkFiles(place)) {
    if (kind === 'file' && filter(path)) yield path;
  }
}

async function* one(path: string): AsyncGenerator<string, void, void> {
  yield path;
}
