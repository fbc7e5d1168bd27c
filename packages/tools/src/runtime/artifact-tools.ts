import { defineTool, objectSchema, type Tool, type ToolContext, type ToolOutput } from '@x/core';
import { inTurnAt } from '../files/in-turn-at.ts';
import { followedStat } from '../files/missing-file.ts';
import { decodeText } from '../text/decode-text.ts';
import { failure } from '../text/failure.ts';
import { counted } from '../text/numbered-lines.ts';

const MAX_CHARACTERS = 28_000;
const MAX_ARTIFACT_CHARACTERS = 8 * 1024 * 1024;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

interface PutArtifactInput {
  name: string;
  content: string;
}

/**
 * Keeps a text under a name, permanently: an artifact is never changed, so its name always refers to the same content. Artifacts are files
 * in a directory of the workspace, not notes of the run: a note ends with its run and belongs to one agent, a file is there after a resume,
 * in the next run, and for the other agents in the same workspace.
 */
export function putArtifactTool(directory: string): Tool<PutArtifactInput> {
  return defineTool({
    name: 'put_artifact',
    description:
      'Keeps a text under a name, for later runs and for other agents that work in the same workspace. What is kept is never ' +
      'changed: another content needs another name. get_artifact reads it.',
    inputSchema: objectSchema({
      name: { type: 'string', description: 'Letters, digits, dots, dashes and underscores, such as report-2.md.' },
      content: { type: 'string', description: 'The whole text.' },
    }),
    kind: 'write',
    effect: 'idempotent',
    subject: ({ name }) => ({ type: 'paths', paths: [pathOf(directory, name)] }),
    execute: (input, context) => put(input, directory, context),
  });
}

async function put({ name, content }: PutArtifactInput, directory: string, context: ToolContext): Promise<ToolOutput> {
  if (!NAME.test(name)) return failure(noName(name));
  if (content.length > MAX_ARTIFACT_CHARACTERS) {
    return failure(`The content has more than ${counted(MAX_ARTIFACT_CHARACTERS)} characters; keep it in parts.`);
  }
  const path = pathOf(directory, name);
  return await inTurnAt(path, context, () => keep({ name, content }, path, context.workspace));
}

async function keep(
  { name, content }: PutArtifactInput,
  path: string,
  workspace: ToolContext['workspace'],
): Promise<ToolOutput> {
  if (!(await followedStat(workspace, path))) await workspace.writeFile(path, new TextEncoder().encode(content));
  // Read again: an agent of another process may have been faster.
  const kept = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await workspace.readFile(path));
  if (kept === content.toWellFormed()) return { name, path, characters: content.length };
  return failure(`There is an artifact ${name} already, with another content; it stays as it is. Choose another name.`);
}

interface GetArtifactInput {
  name: string;
  offset?: number;
}

/** Reads the unchanged text from `put_artifact`. */
export function getArtifactTool(directory: string): Tool<GetArtifactInput> {
  return defineTool({
    name: 'get_artifact',
    description:
      'Reads what put_artifact has kept, in this run or another, by this agent or another: at most 28,000 characters from ' +
      'offset; the end of the answer says how to read on.',
    inputSchema: objectSchema({
      name: { type: 'string', description: 'The name it was kept under.' },
      offset: { type: 'integer', description: 'The first character, from 0.', minimum: 0, optional: true },
    }),
    kind: 'readonly',
    subject: ({ name }) => ({ type: 'paths', paths: [pathOf(directory, name)] }),
    execute: (input, context) => get(input, directory, context),
  });
}

async function get(
  { name, offset = 0 }: GetArtifactInput,
  directory: string,
  { workspace }: ToolContext,
): Promise<ToolOutput> {
  if (!NAME.test(name)) return failure(noName(name));
  const path = pathOf(directory, name);
  const found = await followedStat(workspace, path);
  if (found?.kind !== 'file') return failure(`There is no artifact ${name}.${await others(workspace, directory)}`);
  const text = decodeText(await workspace.readFile(path));
  if (text === undefined) return failure(`The artifact ${name} is not a text.`);
  const end = offset + MAX_CHARACTERS;
  if (end >= text.length) return text.slice(offset);
  const note = `[${counted(MAX_CHARACTERS)} of ${counted(text.length)} characters are shown. Read on with offset ${end}.]`;
  return `${text.slice(offset, end)}\n\n${note}`;
}

async function others(workspace: ToolContext['workspace'], directory: string): Promise<string> {
  if ((await followedStat(workspace, directory))?.kind !== 'directory') return '';
  const names: string[] = [];
  for await (const { name } of workspace.list(directory)) if (names.push(name) === 50) break;
  return names.length === 0 ? '' : ` There are: ${names.toSorted().join(', ')}.`;
}

function pathOf(directory: string, name: string): string {
  return `${directory}/${name}`;
}

function noName(name: string): string {
  return `${JSON.stringify(name)} is not the name of an artifact: letters, digits, dots, dashes and underscores, 100 at most.`;
}
