import { defineTool, objectSchema, type Tool, type ToolContext, type ToolOutput } from '@x/core';
import { inTurnAt } from './files/in-turn-at.ts';
import { followedStat, missingFile } from './files/missing-file.ts';
import { mismatchHint } from './mismatch-hint.ts';
import { type Replacement, replaceText } from './replace-text.ts';
import { BoundedLines } from './text/bounded-lines.ts';
import { decodeExactly } from './text/decode-text.ts';
import { failure } from './text/failure.ts';
import { counted, lineNumberAt, linesOf, numberedLine } from './text/numbered-lines.ts';

const MAX_FILE_BYTES = 32 * 1024 * 1024;
const CONTEXT_LINES = 4;
const MAX_SNIPPET_LINES = 40;
const MAX_LISTED_LINES = 20;

export interface EditInput {
  file_path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

/**
 * Replaces an exact text, which must be unique unless `replace_all` is set; anything else is an error result and leaves the file unchanged.
 */
export function editTool(): Tool<EditInput> {
  return defineTool({
    name: 'Edit',
    description:
      'Replaces old_string in a file by new_string. old_string must be exactly what the file holds, white space included and ' +
      'without the line numbers of Read, and must occur once; give enough lines around the place, or set replace_all to change ' +
      'every occurrence. Line ends are matched and kept as the file has them. To create a file use Write.',
    inputSchema: objectSchema({
      file_path: { type: 'string', description: 'The file, absolute or relative to the working directory.' },
      old_string: { type: 'string', description: 'The text to replace.' },
      new_string: { type: 'string', description: 'The text to put in its place; different from old_string.' },
      replace_all: { type: 'boolean', description: 'Replace every occurrence. Default false.', optional: true },
    }),
    kind: 'write',
    subject: ({ file_path }) => ({ type: 'paths', paths: [file_path] }),
    execute: (input, context) => inTurnAt(input.file_path, context, () => edit(input, context)),
  });
}

async function edit(input: EditInput, { workspace }: ToolContext): Promise<ToolOutput> {
  const { file_path: path, old_string, new_string } = input;
  if (old_string === '') return failure('old_string is empty; use Write to create or replace a whole file.');
  if (old_string === new_string) return failure('old_string and new_string are the same; there is nothing to change.');
  const found = await followedStat(workspace, path);
  if (!found) return failure(await missingFile(workspace, path));
  if (found.kind !== 'file') return failure(`${path} is not a regular file.`);
  if (found.size > MAX_FILE_BYTES)
    return failure(`${path} has ${counted(found.size)} bytes, too many to edit; use Bash.`);
  const text = decodeExactly(await workspace.readFile(path));
  if (text === undefined) return failure(`${path} is not UTF-8 text; changing it here would damage it. Use Bash.`);
  const replaced = replaceText(text, { from: old_string, to: new_string, all: input.replace_all ?? false });
  if (replaced.text === undefined) return failure(refusedEdit(path, text, { ...replaced, oldText: old_string }));
  await workspace.writeFile(path, new TextEncoder().encode(replaced.text));
  return success(path, replaced.text, replaced);
}

function refusedEdit(
  path: string,
  text: string,
  { places, oldText }: { places: readonly number[]; oldText: string },
): string {
  if (places.length === 0) {
    return `old_string was not found in ${path}; the file is unchanged. ${mismatchHint(text, oldText)}`;
  }
  return (
    `old_string was found ${counted(places.length)} times in ${path}, at lines ${lineList(text, places)}; the file is unchanged. ` +
    'Add surrounding lines to make it unique, or set replace_all to change every one.'
  );
}

function lineList(text: string, places: readonly number[]): string {
  const listed = places.slice(0, MAX_LISTED_LINES).map((place) => lineNumberAt(text, place));
  return places.length > MAX_LISTED_LINES ? `${listed.join(', ')}, ...` : listed.join(', ');
}

function success(path: string, text: string, { places, newText }: Replacement): string {
  const first = lineNumberAt(text, places[0]!);
  const last = lineNumberAt(text, places[0]! + newText.length);
  const from = Math.max(1, first - CONTEXT_LINES);
  const what = places.length === 1 ? '1 replacement' : `${counted(places.length)} replacements`;
  const where = places.length === 1 ? 'It now reads' : 'Around the first it now reads';
  const wanted = linesOf(text).slice(from - 1, last + CONTEXT_LINES);
  const bounded = new BoundedLines();
  const isWhole = [
    `Edited ${path}: ${what}. ${where}:`,
    ...wanted.slice(0, MAX_SNIPPET_LINES).map((line, index) => numberedLine(line.replace(/^\uFEFF/, ''), from + index)),
  ].every((line) => bounded.add(line));
  if (isWhole && wanted.length <= MAX_SNIPPET_LINES) return bounded.text();
  return bounded.text(`The rest is not shown; Read on with offset ${from + bounded.lines.length - 1}.`);
}
