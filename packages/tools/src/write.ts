import { defineTool, objectSchema, type Tool, type ToolContext, type ToolOutput } from '@x/core';
import { followedStat } from './files/missing-file.ts';
import { failure } from './text/failure.ts';
import { counted, linesOf } from './text/numbered-lines.ts';

export interface WriteInput {
  file_path: string;
  content: string;
}

/** Creates or replaces a file in one step; missing parents are created, the mode of an existing file stays. */
export function writeTool(): Tool<WriteInput> {
  return defineTool({
    name: 'Write',
    description:
      'Creates a file, or replaces all of an existing one; missing directories are made. To change a part of a file use Edit.',
    inputSchema: objectSchema({
      file_path: { type: 'string', description: 'The file, absolute or relative to the working directory.' },
      content: { type: 'string', description: 'The whole content of the file.' },
    }),
    kind: 'write',
    // Writing the same content again changes nothing more.
    effect: 'idempotent',
    subject: ({ file_path }) => ({ type: 'paths', paths: [file_path] }),
    execute: write,
  });
}

/** Implements `Write`. */
export async function write({ file_path, content }: WriteInput, { workspace }: ToolContext): Promise<ToolOutput> {
  const found = await followedStat(workspace, file_path);
  if (found && found.kind !== 'file') {
    return failure(
      `${file_path} is ${found.kind === 'directory' ? 'a directory' : 'not a regular file'}; nothing was written.`,
    );
  }
  const bytes = new TextEncoder().encode(content);
  await workspace.writeFile(file_path, bytes);
  const lines = linesOf(content).length;
  return `${found ? 'Replaced' : 'Created'} ${file_path} (${plural(lines, 'line')}, ${plural(bytes.length, 'byte')}).`;
}

function plural(amount: number, noun: string): string {
  return `${counted(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}
