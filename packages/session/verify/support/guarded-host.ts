import { type AgentHandler, defineTool, objectSchema, type Tool, type ToolContext, type ToolDefinition } from '@x/core';
import type { CanUseTool, HookConfig } from '@x/handlers';
import type { SessionOptions } from '../../src/index.ts';
import { type GuardedPlan, placeIn, replyAt } from './guarded-plan.ts';
import type { Life } from './life.ts';
import type { Witness } from './witness.ts';

export interface HostOptions {
  readonly plan: GuardedPlan;
  readonly life: Life;
  readonly witness: Witness;
  /** Sends the message in mid-run, once; called by the tools of subagents. */
  readonly steer: () => Promise<void>;
}

/** About two thousand tokens, so that histories grow. */
const LONG = 'word '.repeat(1_600);
/** Asked about by the host; the rest needs no answer. */
export const ASKED: readonly string[] = ['book', 'order', 'charge', 'Task', 'wipe'];

/** What the host gives the session: tools, agents, answers and hooks, each of whose steps is a point of the process's life. */
export function guardedHost(options: HostOptions): Partial<SessionOptions> {
  const { plan } = options;
  const names = Object.keys(plan.agents).filter((name) => !/^r\d$/.test(name));
  return {
    systemPrompt: 'agent r',
    permissionMode: 'default',
    tools: guardedTools(options),
    allowedTools: ['book', 'order', 'charge', 'lookup', 'wipe', 'deliver', 'Task'],
    autoApprove: ['lookup', 'deliver'],
    agents: names.map((name) => ({ name, description: `Is ${name}.`, systemPrompt: `agent ${name}` })),
    canUseTool: answers(options),
    hooks: hooksOf(options),
    handlers: [directly('deliver')],
    fallbackModel: 'spare',
    retryBudgetMs: 2,
  };
}

/** What a call of the tool ends up doing its work on, after hooks and the host have changed its input. */
export function finalItem(tool: string, item: string): string {
  if (tool === 'charge') return `${item}!`;
  return tool === 'order' ? `${item}!~!` : item;
}

function guardedTools({ life, witness, steer }: HostOptions): Tool[] {
  const inputSchema = objectSchema({ item: { type: 'string', description: 'Which one.' } });
  const acting = (tool: string, more: Partial<ToolDefinition> = {}) =>
    defineTool({
      name: tool,
      description: 'Does something with an item.',
      inputSchema,
      execute: async ({ item }, { callId, idempotencyKey: key, run }: ToolContext) => {
        if (run.depth > 0) await steer();
        await life.pass('before an effect');
        if (more.effect !== 'idempotent' || !witness.knows(key)) witness.acted({ callId, tool, item, key });
        await life.pass('after an effect');
        return `${tool} has done ${item}.`;
      },
      ...more,
    });
  const reading = (tool: string, output: string) =>
    defineTool({
      name: tool,
      description: 'Says something of an item.',
      kind: 'readonly',
      inputSchema,
      execute: async ({ item }) => {
        await life.pass('in a reading tool');
        return `${item} ${output}`;
      },
    }) as Tool; // its input is parsed before it is called
  const idempotent = acting('charge', { effect: 'idempotent' });
  return [
    acting('book'),
    acting('order'),
    acting('wipe'),
    idempotent,
    reading('lookup', LONG),
    reading('deliver', '.'),
  ];
}

/** Allows, changes the input of orders, refuses to wipe. */
function answers({ life, witness }: HostOptions): CanUseTool {
  return async (name, input, { callId }) => {
    await life.pass('in a question');
    const answer = name === 'wipe' ? 'deny' : 'allow';
    witness.asked({ callId, answer });
    if (answer === 'deny') return { behavior: 'deny', message: 'Never.' };
    const { item } = input as { item?: string }; // safe: of the schemas above, or of Task
    if (name !== 'order' || item?.includes('~')) return { behavior: 'allow' };
    return { behavior: 'allow', updatedInput: { item: `${item}~` } };
  };
}

function hooksOf({ plan, life }: HostOptions): HookConfig {
  const isAgain = (text: string) => {
    const place = placeIn(text);
    return place !== undefined && replyAt(plan, place)?.again === true;
  };
  const inHook = () => life.pass('in a hook');
  return {
    PreToolUse: [
      {
        matcher: 'charge|order',
        hooks: [
          async ({ tool_input }) => {
            await inHook();
            const { item } = tool_input as { item: string }; // safe: of the schemas above
            return { updatedInput: { item: item.endsWith('!') ? item : `${item}!` } };
          },
        ],
      },
    ],
    PostToolUse: [
      {
        matcher: 'lookup',
        hooks: [
          async ({ tool_output }) => {
            await inHook();
            return { updatedOutput: `${tool_output} (seen)` };
          },
        ],
      },
    ],
    SubagentStart: [{ hooks: [async () => (await inHook(), { additionalContext: 'Be quick.' })] }],
    SubagentStop: [
      {
        hooks: [
          async ({ result_summary }) => {
            await inHook();
            return isAgain(result_summary) ? { decision: 'block', reason: 'Once more.' } : {};
          },
        ],
      },
    ],
    Stop: [
      {
        hooks: [
          async ({ stop_hook_active, final_response }) => {
            await inHook();
            const again = !stop_hook_active && isAgain(final_response);
            return again ? { continue: true, continueReason: 'Once more.' } : {};
          },
        ],
      },
    ],
    Compaction: [{ hooks: [async () => (await inHook(), {})] }],
  };
}

/** The answer of that tool is the answer of the run. */
function directly(name: string): AgentHandler {
  return {
    name: 'directly',
    beforeAgent: ({ tools }) => {
      for (const meta of tools) if (meta.tool.name === name) meta.returnDirectly = true;
    },
  };
}
