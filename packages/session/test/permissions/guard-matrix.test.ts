import { type AgentHandler, defineTool, objectSchema, type Tool, type ToolDefinition } from '@x/core';
import type { Script, ScriptedReply } from '@x/core/testing';
import { ToolGroupManager } from '@x/tool-groups';
import { describe, expect, it } from 'vitest';
import { type CommandHook, memoryStore, type SessionOptions } from '../../src/index.ts';
import { only, read, say, scriptedSession } from '../support/makers.ts';
import { abandonedAt, expiring, resumed } from '../support/resumed.ts';
import { workerRole } from '../support/roles.ts';

/** What a cell of the matrix drives: a session whose model asks for `probe` in one way, and what became of the call. */
interface Subject {
  readonly name: string;
  run(guard: Partial<SessionOptions>, tool: Tool): Promise<readonly { readonly isError?: boolean }[]>;
}

const LINE = 'launch --now';
const ROLE = workerRole({ toolGroups: ['own'] });

/** Two groups: the role's own, with what every subject needs, and others; the probe is in one of them. */
function groups(withProbe: 'own' | 'others') {
  const probe = ['probe'];
  return {
    own: { description: 'Of the role.', tools: ['Task', 'Read', ...(withProbe === 'own' ? probe : [])] },
    others: { description: 'Of others.', tools: withProbe === 'others' ? probe : [] },
  };
}

function managed(withProbe: 'own' | 'others'): ToolGroupManager {
  const manager = new ToolGroupManager();
  for (const [id, { description, tools }] of Object.entries(groups(withProbe))) {
    const definition = (name: string) =>
      ({ type: 'function', function: { name, description: name, parameters: {} } }) as const;
    manager.registerGroup(id, { description, tools: tools.map(definition) });
  }
  return manager;
}
const agents: SessionOptions['agents'] = [
  { name: 'worker', description: 'Works.' },
  { name: 'helper', description: 'Helps the worker.' },
];
/** Everything that could let a call through is on in every cell. */
const open: Partial<SessionOptions> = {
  permissionMode: 'bypassPermissions',
  autoApprove: ['probe', 'probe(launch *)'],
  canUseTool: async () => ({ behavior: 'allow' }),
  agents,
};

const guards: readonly (readonly [string, Partial<SessionOptions>])[] = [
  ['a deny rule', { disallowedTools: ['probe(launch *)'] }],
  ['a hook that denies', { hooks: { PreToolUse: [{ matcher: 'probe', hooks: [async () => deny] }] } }],
  ['a hook that is a command and denies', { hooks: { PreToolUse: [{ matcher: 'probe', hooks: [exitsWith(2)] }] } }],
  ['a hook that fails', { hooks: { PreToolUse: [{ matcher: 'probe', hooks: [exitsWith(1)] }] } }],
  ['plan mode', { permissionMode: 'plan' }],
  ['disallowedTools', { disallowedTools: ['probe'] }],
  ['allowedTools without it', { allowedTools: ['Task', 'Read'] }],
  ['a role without its group', { role: ROLE, toolGroups: groups('others') }],
  ['a role whose groups are those of a manager', { role: ROLE, toolGroups: managed('others') }],
];
const deny = { permissionDecision: 'deny', permissionDecisionReason: 'no' } as const;
function exitsWith(code: number): CommandHook {
  return { type: 'command', command: `cat > /dev/null; exit ${code}` };
}

function probe(ran: string[], more: Partial<ToolDefinition> = {}): Tool {
  const made = defineTool({
    name: 'probe',
    description: 'Leaves a trace.',
    kind: 'execute',
    inputSchema: objectSchema({ line: { type: 'string', description: 'What to run.' } }),
    execute: async () => {
      ran.push('ran');
      return 'done';
    },
    ...more,
  });
  return { ...made, subject: (input) => ({ type: 'command', line: (input as { line: string }).line }) };
}

const call = { toolCalls: [{ id: 'p', name: 'probe', input: { line: LINE } }] };
const task = (agent: string) => ({
  toolCalls: [{ name: 'Task', input: { subagent_type: agent, description: 'Work', prompt: `Be ${agent}.` } }],
});

/** The model asks for the probe once, at the depth where the prompt of that agent is read. */
function asksAt(...path: readonly string[]): Script {
  return asksFor(call, ...path);
}

function asksFor(reply: ScriptedReply, ...path: readonly string[]): Script {
  return ({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return { text: 'Done.' };
    const first = messages[0]?.content[0];
    const prompt = first?.type === 'text' ? first.text : '';
    const depth = path.findIndex((agent) => prompt === `Be ${agent}.`) + 1;
    return depth < path.length ? task(path[depth]!) : reply;
  };
}

/** Sees the answers to the probe, at every depth. */
function watching() {
  const seen: { isError?: boolean }[] = [];
  const observer: AgentHandler = {
    name: 'observer',
    onEvent(event) {
      if (event.type === 'tool_result' && ['probe', 'CallTool'].includes(event.name)) seen.push(event);
    },
  };
  return { seen, observer };
}

async function results(script: Script, options: Partial<SessionOptions>) {
  const { seen, observer } = watching();
  const handlers = [observer, ...(options.handlers ?? [])];
  const { session } = await scriptedSession(script, { allowedTools: undefined, ...options, handlers } as never);
  await say(session, 'Begin.');
  await session.close();
  return seen;
}

const returnsDirectly: AgentHandler = {
  name: 'direct',
  beforeAgent(config) {
    for (const meta of config.tools) if (meta.tool.name === 'probe') meta.returnDirectly = true;
  },
};
const bringing = (tool: Tool): AgentHandler => ({
  name: 'foreign',
  beforeAgent: (config) => void config.tools.push({ tool, returnDirectly: false }),
});

const subjects: readonly Subject[] = [
  { name: 'the main agent', run: (guard, tool) => results(asksAt(), { ...open, tools: [tool], ...guard }) },
  { name: 'a subagent', run: (guard, tool) => results(asksAt('worker'), { ...open, tools: [tool], ...guard }) },
  {
    name: 'a subagent of a subagent',
    run: (guard, tool) => results(asksAt('worker', 'helper'), { ...open, tools: [tool], ...guard }),
  },
  {
    name: 'a tool of foreign origin',
    run: (guard, tool) => results(asksAt(), { ...open, handlers: [bringing(foreign(tool))], ...guard }),
  },
  {
    name: 'a tool that was found',
    run(guard, tool) {
      const found = { toolCalls: [{ name: 'CallTool', input: { name: 'probe', input: { line: LINE } } }] };
      return results(asksFor(found), { ...open, tools: [tool], toolDiscovery: 'always', ...guard });
    },
  },
  {
    name: 'a tool that streams',
    run: (guard, tool) => results(asksAt(), { ...open, tools: [streaming(tool)], ...guard }),
  },
  {
    name: 'a call repeated after a crash',
    async run(guard, tool) {
      const { store, sessionId } = await abandonedAt(call, { ...tool, effect: 'idempotent' }, open);
      const { session } = await resumed(store, sessionId, [{ text: 'Done.' }], { ...open, tools: [tool], ...guard });
      const events = await read(session);
      await session.close();
      return only(events, 'tool_result').filter(({ name }) => name === 'probe');
    },
  },
  {
    name: 'a call that ends the run',
    run: (guard, tool) => results(asksAt(), { ...open, tools: [tool], handlers: [returnsDirectly], ...guard }),
  },
  {
    name: 'a tool of a subagent that streams',
    run: (guard, tool) => results(asksAt('worker'), { ...open, tools: [streaming(tool)], ...guard }),
  },
  {
    name: 'a call in a parallel batch',
    run(guard, tool) {
      const look = { name: 'Read', input: { file_path: 'no-such-file' } };
      const batch = { toolCalls: [look, ...call.toolCalls, look] };
      return results(asksFor(batch), { ...open, tools: [{ ...tool, parallelSafe: true }], ...guard });
    },
  },
  {
    name: 'a call that was allowed before a crash',
    async run(guard, tool) {
      const asking: Partial<SessionOptions> = { canUseTool: async () => ({ behavior: 'allow' }) };
      const { store, sessionId } = await abandonedAt(call, { ...tool, effect: 'idempotent' }, asking);
      const { session } = await resumed(store, sessionId, [{ text: 'Done.' }], { ...open, tools: [tool], ...guard });
      const events = await read(session);
      await session.close();
      return only(events, 'tool_result').filter(({ name }) => name === 'probe');
    },
  },
  {
    name: 'a call of a subagent repeated after a crash',
    async run(guard, tool) {
      const store = expiring(memoryStore());
      const started = Promise.withResolvers<void>();
      const stuck: Tool = {
        ...tool,
        effect: 'idempotent',
        async *execute() {
          started.resolve();
          return await new Promise<never>(() => undefined);
        },
      };
      const { session: first } = await scriptedSession(asksAt('worker'), {
        ...open,
        store,
        tools: [stuck],
        allowedTools: ['Task', 'probe'],
      });
      await first.send('Begin.');
      void Array.fromAsync(first.stream()); // never ends: the process of this session is as good as dead
      await started.promise;
      const { seen, observer } = watching();
      const options = { ...open, tools: [tool], handlers: [observer], ...guard };
      const { session } = await resumed(store, first.sessionId, () => ({ text: 'Done.' }), options);
      await read(session);
      await session.close();
      return seen;
    },
  },
];

/** The same tool, which tells of its progress bit by bit. */
function streaming(tool: Tool): Tool {
  return {
    ...tool,
    streaming: true,
    async *execute(input, context) {
      yield { type: 'tool_progress', id: context.callId, delta: 'half' };
      return yield* tool.execute(input, context);
    },
  };
}

/** Name and schema come from outside, as a server of tools would send them. */
function foreign(tool: Tool): Tool {
  const json = { type: 'object', properties: { line: { type: 'string' } }, required: ['line'] };
  return { ...tool, inputSchema: { json, parse: (value) => value } };
}

describe.each(subjects)('$name', ({ run }) => {
  it.each(guards)('never runs under %s', async (_, guard) => {
    const ran: string[] = [];

    const answers = await run(guard, probe(ran));

    expect(ran).toEqual([]);
    expect(answers).toHaveLength(1);
    expect(answers[0]).toMatchObject({ isError: true });
  });

  it.each([
    ['nothing guards it', {}],
    ['its role has it in a group', { role: ROLE, toolGroups: groups('own') }],
    ['a manager has it in a group of its role', { role: ROLE, toolGroups: managed('own') }],
  ])('runs when %s, so that the cells above mean something', async (_, guard) => {
    const ran: string[] = [];

    const answers = await run(guard, probe(ran));

    expect(ran).toEqual(['ran']);
    expect(answers).toMatchObject([{ isError: false }]);
  });
});
