import { appendFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, objectSchema, type Tool } from '@x/core';
import type { SessionOptions } from '../../src/index.ts';
import { callsOf, type Plan, type PlannedCall, runText } from './plan.ts';

const EFFECTS = 'effects.log';
const CHARGES = 'charges.log';

const read =
  (file: string): PlannedCall =>
  () => ({ name: 'Read', input: { file_path: file } });
const grep = (): ReturnType<PlannedCall> => ({ name: 'Grep', input: { pattern: 'fact', path: 'facts' } });
const edit: PlannedCall = (id) => ({
  name: 'Edit',
  input: { file_path: `edits/${id}`, old_string: 'mark', new_string: 'markx' },
});
const write: PlannedCall = (id) => ({
  name: 'Write',
  input: { file_path: `written/${id}`, content: `Written by ${id}.\n` },
});
const bash: PlannedCall = (id) => ({
  name: 'Bash',
  input: { command: `echo ${id} >> ${EFFECTS}; sleep 0.01; echo ${id}` },
});
const charge: PlannedCall = (id) => ({ name: 'charge', input: { item: id } });
const lookup: PlannedCall = (id) => ({ name: 'lookup', input: { item: id } });
const task =
  (run: number): PlannedCall =>
  () => ({ name: 'Task', input: { subagent_type: 'helper', description: 'A task', prompt: runText(run) } });

/** Real files and commands: three runs, every effect class, parallel reads, and two subagents side by side. */
export const demoPlan: Plan = [
  [
    [read('facts/one'), read('facts/two'), lookup, read('facts/three')],
    [bash],
    [grep, write, read('written/r0p2c1')],
    [bash, bash],
  ],
  [
    [edit, charge],
    [task(3), task(4)],
    [edit, bash],
  ],
  [
    [charge, bash, write],
    [read('written/r2p0c2'), grep],
    [bash, edit, charge],
  ],
  [[bash, lookup, lookup], [charge]],
  [[edit, bash]],
];

/** One message, one tool. */
export const shortPlan: Plan = [[[bash]]];

/** Makes the files that the plan reads and edits. */
export async function layOut(folder: string, plan: Plan): Promise<void> {
  for (const name of ['facts', 'edits', 'written']) await mkdir(join(folder, name), { recursive: true });
  for (const name of ['one', 'two', 'three']) await writeFile(join(folder, 'facts', name), `The fact of ${name}.\n`);
  for (const [id, { name }] of callsOf(plan)) {
    if (name === 'Edit') await writeFile(join(folder, 'edits', id), 'mark\n');
    // There before, so that writing again answers the same.
    if (name === 'Write') await writeFile(join(folder, 'written', id), 'old\n');
  }
}

/** The session of the plan: its tools, its subagent, and a host that allows every call it is asked about. */
export function demoOptions(cwd: string, asked: (callId: string) => void): Partial<SessionOptions> {
  return {
    cwd,
    tools: demoTools(cwd),
    allowedTools: ['Read', 'Grep', 'Edit', 'Write', 'Bash', 'charge', 'lookup', 'Task'],
    agents: [{ name: 'helper', description: 'Helps.', systemPrompt: 'Help.' }],
    permissionMode: 'default',
    canUseTool: async (_name, _input, { callId }) => {
      asked(callId);
      return { behavior: 'allow' };
    },
  };
}

/** A tool with an effect that its key makes repeatable, and one that only reads; both take a moment. */
function demoTools(folder: string): Tool[] {
  const inputSchema = objectSchema({ item: { type: 'string', description: 'Which one.' } });
  const chargeTool = defineTool({
    name: 'charge',
    description: 'Charges an item, once for each key.',
    effect: 'idempotent',
    inputSchema,
    execute: async ({ item }, { idempotencyKey }) => {
      appendFileSync(join(folder, CHARGES), `${item} ${idempotencyKey}\n`);
      await sleep(4);
      return `Charged ${item}.`;
    },
  });
  const lookupTool = defineTool({
    name: 'lookup',
    description: 'Looks an item up.',
    kind: 'readonly',
    inputSchema,
    execute: async ({ item }) => {
      await sleep(4);
      return `${item} costs 7.`;
    },
  });
  return [chargeTool, lookupTool];
}

/** How often each call of the plan has had its effect; a repeatable one counts by its keys. */
export async function demoEffects(folder: string, plan: Plan): Promise<Map<string, number>> {
  const effects = new Map<string, number>();
  const lines = await linesIn(join(folder, EFFECTS));
  const charges = new Set(await linesIn(join(folder, CHARGES)));
  for (const [id, { name, input }] of callsOf(plan)) {
    if (name === 'Bash') effects.set(id, lines.filter((line) => line === id).length);
    if (name === 'charge') effects.set(id, [...charges].filter((line) => line.startsWith(`${id} `)).length);
    if (name === 'Edit') effects.set(id, (await textIn(join(folder, 'edits', id))).split('x').length - 1);
    if (name === 'Write') effects.set(id, (await textIn(join(folder, 'written', id))) === contentOf(input) ? 1 : 0);
  }
  return effects;
}

/** The number of commands that have had their effect so far. */
export async function commandEffects(folder: string): Promise<number> {
  return (await linesIn(join(folder, EFFECTS))).length;
}

function contentOf(input: unknown): string {
  return (input as { content: string }).content; // safe: the plan above has written it
}

async function linesIn(path: string): Promise<string[]> {
  return (await textIn(path)).split('\n').filter((line) => line !== '');
}

async function textIn(path: string): Promise<string> {
  return await readFile(path, 'utf8').catch(() => '');
}
