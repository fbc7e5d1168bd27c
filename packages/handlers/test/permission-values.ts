import {
  defineTool,
  type Journal,
  objectSchema,
  type RunContext,
  type RunRecord,
  type Tool,
  type ToolCall,
  type ToolDefinition,
} from '@x/core';
import { collect, type MemoryWorkspace, memoryWorkspace } from '@x/core/testing';
import { type PermissionHandlerOptions, permissionHandler } from '../src/permissions/permission-handler.ts';
import type { Round } from '../src/permissions/recorded-answer.ts';
import { parseRules } from '../src/permissions/rule.ts';
import type { PermissionMode, PermissionPolicy, PermissionStep } from '../src/permissions/types.ts';
import { answering, run } from './values.ts';

/** A run whose journal is kept in `records` and `notes`; `past` is what an attempt before has left. */
export function journaled(past: Readonly<Record<string, unknown>> = {}, more: Partial<RunContext> = {}) {
  const records: RunRecord[] = [];
  const notes = new Map<string, unknown>(Object.entries(past));
  const journal: Journal = {
    past: { messages: [], turns: 0, call: () => undefined, note: (name) => notes.get(name) },
    async write(...written) {
      records.push(...written);
      for (const record of written) if (record.type === 'note') notes.set(record.name, record.data);
    },
    claimCallId: (id) => id,
    child: () => journal,
  };
  return { context: { ...run(), journal, ...more } satisfies RunContext, records, notes };
}

const schema = objectSchema({ text: { type: 'string', description: 'What it is about.' } });

function toolOf(name: string, more: Partial<ToolDefinition>): Tool {
  return defineTool({
    name,
    description: 'A tool of a test.',
    inputSchema: schema,
    execute: async () => name,
    ...more,
  } as ToolDefinition<typeof schema>);
}

type Subject = NonNullable<ToolDefinition['subject']>;
const paths: Subject = (input) => ({ type: 'paths', paths: [(input as { text: string }).text] });
const command: Subject = (input) => ({ type: 'command', line: (input as { text: string }).text });
const url: Subject = (input) => ({ type: 'url', url: (input as { text: string }).text });

export const read: Tool = toolOf('Read', { kind: 'readonly', subject: paths });
export const grep: Tool = toolOf('Grep', { kind: 'readonly', subject: paths });
export const edit: Tool = toolOf('Edit', { kind: 'write', subject: paths });
export const write: Tool = toolOf('Write', { kind: 'write', subject: paths });
export const bash: Tool = toolOf('Bash', { kind: 'execute', subject: command });
export const fetcher: Tool = toolOf('WebFetch', { kind: 'readonly', subject: url });
/** A tool that says nothing about what it touches. */
export const plain: Tool = toolOf('plain', { kind: 'execute' });
/** A tool of another kind that is about paths. */
export function toolAbout(name: string, kind: Tool['kind']): Tool {
  return toolOf(name, { kind, subject: paths });
}
export const known: ReadonlyMap<string, Tool['kind']> = new Map(
  [read, grep, edit, write, bash, fetcher, plain, toolAbout('deploy', 'execute')].map((tool) => [tool.name, tool.kind]),
);

/** A call of a tool about a path, a line or an address. */
export function about(tool: Tool, text: string, more: Partial<ToolCall> = {}): ToolCall {
  const signal = new AbortController().signal;
  return { id: 'c1', name: tool.name, input: { text }, tool, workspace: memoryWorkspace(), signal, ...more };
}

/** A call as it was judged when that step asked about it. */
export function roundOf(call: ToolCall, step: PermissionStep, paths?: readonly string[]): Round {
  const subject = paths && { type: 'paths' as const, paths: paths.map((path) => ({ spelled: path, resolved: path })) };
  const places = { cwd: call.workspace.cwd, resolvedCwd: call.workspace.cwd, resolvedBases: new Map<string, string>() };
  return { call, input: call.input, decision: { decision: 'ask', step, reason: 'It is a test.' }, subject, places };
}

export interface Rules {
  readonly mode?: PermissionMode;
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
  /** Names of tools that the host brought. */
  readonly own?: readonly string[];
}

export function policyOf({
  mode = 'default',
  deny = [],
  ask = [],
  allow = [],
  own = [],
}: Rules = {}): PermissionPolicy {
  const home = '/home/me';
  return {
    mode,
    deny: parseRules(deny, { home }),
    ask: parseRules(ask, { home }),
    allow: parseRules(allow, { home }),
    isOwn: (tool) => own.includes(tool.name),
    kindOf: (name) => known.get(name),
  };
}

/** What the handler makes of a call, in a run of its own unless one is given. */
export async function judged(
  call: ToolCall,
  rules: Rules,
  { context = journaled().context, ...options }: Partial<PermissionHandlerOptions> & { context?: RunContext } = {},
) {
  const handler = permissionHandler({ policy: policyOf(rules), home: '/home/me', ...options });
  return await collect(handler.wrapToolCall!(call, answering('ran'), context));
}

/** The step and the decision of the last `permission` event, such as `deny_rule: deny`. */
export async function outcome(...args: Parameters<typeof judged>): Promise<string> {
  const { events } = await judged(...args);
  const last = events.findLast((event) => event.type === 'permission');
  return last?.type === 'permission' ? `${last.step}: ${last.decision}` : 'no decision';
}

export async function withLinks(
  files: Readonly<Record<string, string>>,
  links: Readonly<Record<string, string>>,
): Promise<MemoryWorkspace> {
  const workspace = memoryWorkspace({ files });
  for (const [path, target] of Object.entries(links)) await workspace.makeLink(path, target);
  return workspace;
}
