import { defineTool, objectSchema, type Tool, type ToolContext, type ToolOutput } from '@x/core';
import { followedStat, missingFile } from '../files/missing-file.ts';
import { glob, searchedPath } from '../glob.ts';
import { type ReadHints, read } from '../read.ts';
import { BoundedLines } from '../text/bounded-lines.ts';
import { failure } from '../text/failure.ts';
import { counted } from '../text/numbered-lines.ts';
import { write } from '../write.ts';

/** Maximum number of names read from one directory. */
const MAX_NAMES = 10_000;
const HINTS: ReadHints = { list: 'list_files', part: 'grep or sed -n with run_command' };

interface ReadFileInput {
  path: string;
  offset?: number;
  limit?: number;
}

/** `Read` as the tool of the group `workspace`. */
export function readFileTool(): Tool<ReadFileInput> {
  return defineTool({
    name: 'read_file',
    description:
      'Reads a file of the workspace. Text comes with line numbers (number, tab, line; the number is not part of the file), ' +
      '2000 lines unless limit says otherwise and at most 30,000 characters. Images are shown. Directories and other binary ' +
      'files are refused.',
    inputSchema: objectSchema({
      path: { type: 'string', description: 'The file, absolute or relative to the working directory.' },
      offset: { type: 'integer', description: 'The first line to show, from 1.', minimum: 1, optional: true },
      limit: { type: 'integer', description: 'How many lines to show. Default 2000.', minimum: 1, optional: true },
    }),
    kind: 'readonly',
    subject: ({ path }) => ({ type: 'paths', paths: [path] }),
    execute: ({ path, ...range }, context) => read({ file_path: path, ...range }, context, HINTS),
  });
}

interface WriteFileInput {
  path: string;
  content: string;
}

/** `Write` as the tool of the group `workspace`. */
export function writeFileTool(): Tool<WriteFileInput> {
  return defineTool({
    name: 'write_file',
    description: 'Creates a file of the workspace, or replaces all of an existing one; missing directories are made.',
    inputSchema: objectSchema({
      path: { type: 'string', description: 'The file, absolute or relative to the working directory.' },
      content: { type: 'string', description: 'The whole content of the file.' },
    }),
    kind: 'write',
    effect: 'idempotent',
    subject: ({ path }) => ({ type: 'paths', paths: [path] }),
    execute: ({ path, content }, context) => write({ file_path: path, content }, context),
  });
}

interface ListFilesInput {
  path?: string;
  pattern?: string;
}

/** Lists the names in a directory, or the results of `Glob`. */
export function listFilesTool(): Tool<ListFilesInput> {
  return defineTool({
    name: 'list_files',
    description:
      'Lists what is in a directory, one name a line, directories with a slash behind their name. With a pattern such as ' +
      '"**/*.ts" it lists the files below the directory that match, newest first, without those that .gitignore names. At ' +
      'most 30,000 characters.',
    inputSchema: objectSchema({
      path: { type: 'string', description: 'The directory. Default: the working directory.', optional: true },
      pattern: {
        type: 'string',
        description: '* any run of characters in a name, ** any directories.',
        optional: true,
      },
    }),
    kind: 'readonly',
    subject: ({ path = '.', pattern }) => ({
      type: 'paths',
      paths: [pattern === undefined ? path : searchedPath(pattern, path)],
    }),
    execute: ({ path = '.', pattern }, context) =>
      pattern === undefined ? listDirectory(path, context) : glob({ path, pattern }, context),
  });
}

async function listDirectory(path: string, { workspace }: ToolContext): Promise<ToolOutput> {
  const found = await followedStat(workspace, path);
  if (!found) return failure(await missingFile(workspace, path));
  if (found.kind !== 'directory') return failure(`${path} is not a directory.`);
  const names: string[] = [];
  for await (const { name, kind } of workspace.list(path)) {
    if (names.length === MAX_NAMES) break;
    names.push(kind === 'directory' ? `${name}/` : name);
  }
  if (names.length === 0) return `${path} is empty.`;
  const bounded = new BoundedLines();
  const isWhole = names.toSorted().every((name) => bounded.add(name)) && names.length < MAX_NAMES;
  return isWhole
    ? bounded.text()
    : bounded.text(`${counted(bounded.lines.length)} names are shown; narrow it by a pattern.`);
}

/** Describes the working directory. */
export function workspaceInfoTool(): Tool<Record<never, never>> {
  return defineTool({
    name: 'get_workspace_info',
    description:
      'Tells the working directory, how many files and directories are directly in it, and the names of the environment ' +
      'variables that commands see.',
    inputSchema: objectSchema({}),
    kind: 'readonly',
    subject: () => ({ type: 'paths', paths: ['.'] }),
    execute: (_, { workspace }) => workspaceInfo(workspace),
  });
}

async function workspaceInfo(workspace: ToolContext['workspace']): Promise<ToolOutput> {
  let files = 0;
  let directories = 0;
  for await (const { kind } of workspace.list(workspace.cwd)) {
    if (kind === 'directory') directories += 1;
    else files += 1;
    if (files + directories === MAX_NAMES) break;
  }
  // Values may be secrets.
  return { cwd: workspace.cwd, files, directories, environment: Object.keys(workspace.env).toSorted() };
}
