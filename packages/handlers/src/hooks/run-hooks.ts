import {
  AbortError,
  type AgentConfig,
  AgentError,
  type Message,
  type RunContext,
  type TextBlock,
  textOf,
  type UserMessage,
} from '@x/core';
import { isPicture, mediaOf } from '@x/core/internal';
import { isOwnMessage } from '../own-messages.ts';
import { type FoldForRun, mainStop, subagentStop } from './end-of-run.ts';
import { type Folded, foldHooks } from './fold-hooks.ts';
import { endForcedTurns } from './forced-turns.ts';
import type { HookSet } from './hook-set.ts';
import type { RunMemory } from './run-memory.ts';
import { stoppedByHook } from './stop-run.ts';

export interface RunHooks {
  beforeUserMessage(message: UserMessage, run: RunContext): Promise<UserMessage>;
  beforeAgent(config: AgentConfig, run: RunContext): Promise<AgentConfig>;
  afterAgent(messages: readonly Message[], run: RunContext): Promise<readonly UserMessage[]>;
}
type MemoryOf = (run: RunContext) => RunMemory;

/** The hooks around a run: its messages, its subagents, its end. */
export function runHooks(set: HookSet, memoryOf: MemoryOf): RunHooks {
  const fold: FoldForRun = async (event, facts, run) => {
    const { agentName, depth, signal } = run;
    const folded = await foldHooks(event, facts, { set, options: { agentName, depth, signal } });
    for (const told of folded.events) run.emit(told);
    return folded;
  };
  return {
    async beforeUserMessage(message, run) {
      if (memoryOf(run).forcedMessages.has(message.id) || isOwnMessage(run, message)) return message;
      await endForcedTurns(run);
      if (run.depth > 0) return message;
      const images = mediaOf(message).filter(isPicture).length;
      const facts = { user_prompt: textOf(message), has_images: images > 0, image_count: images };
      return judgedMessage(message, await fold('UserPromptSubmit', facts, run));
    },
    async beforeAgent(config, run) {
      for (const { tool, returnDirectly } of config.tools) if (returnDirectly) memoryOf(run).direct.add(tool.name);
      if (run.depth === 0) return config;
      if (run.parent) adopt(memoryOf(run.parent.run), run.parent.callId, run);
      const { agentName, parent } = run;
      const facts = {
        agent_type: agentName,
        task_description: taskOf(config, run),
        parent_agent_id: parent?.run.agentName ?? '',
      };
      const folded = await fold('SubagentStart', facts, run);
      if (folded.stop !== undefined) throw stoppedByHook(folded.stop);
      const [first, ...rest] = config.input;
      return first ? { ...config, input: [withBlocks(first, folded.context), ...rest] } : config;
    },
    async afterAgent(messages, run) {
      const options = { set, memoryOf, fold };
      const forced =
        run.depth > 0 ? await subagentStop(messages, run, options) : await mainStop(messages, run, options);
      return forced ? [forced] : [];
    },
  };
}

/** @throws AbortError, AgentError `STOPPED_BY_HOOK`, `PROMPT_BLOCKED`: each keeps the message from being recorded */
function judgedMessage(message: UserMessage, folded: Folded<'UserPromptSubmit'>): UserMessage {
  if (folded.aborted) throw new AbortError();
  if (folded.stop !== undefined) throw stoppedByHook(folded.stop);
  // Nobody can be asked about a prompt.
  if (folded.decision === 'deny' || folded.decision === 'ask') {
    const reason = folded.reason ?? 'a hook gave no reason';
    throw new AgentError(`The message was blocked: ${reason}`, {
      code: 'PROMPT_BLOCKED',
      statusCode: 403,
      details: { reason },
    });
  }
  const changed = folded.changed ? withText(message, folded.facts.user_prompt) : message;
  return withBlocks(changed, folded.context);
}

/** The message with another text, where its first text was; its other parts stay. */
function withText(message: UserMessage, text: string): UserMessage {
  const { content } = message;
  const at = Math.max(
    0,
    content.findIndex(({ type }) => type === 'text'),
  );
  const block: TextBlock = { type: 'text', text };
  const after = content.slice(at).filter(({ type }) => type !== 'text');
  return { ...message, content: [...content.slice(0, at), block, ...after] };
}

/** Adds a block of text; it begins with an empty line, because blocks may be joined directly. */
function withBlocks(message: UserMessage, context: readonly string[]): UserMessage {
  if (context.length === 0) return message;
  const block: TextBlock = { type: 'text', text: `\n\n${context.join('\n\n')}` };
  return { ...message, content: [...message.content, block] };
}

/** The first message the subagent was given, in this attempt or the one before. */
function taskOf({ input }: AgentConfig, run: RunContext): string {
  const first = input[0] ?? run.journal.past.messages.find((message) => message.role === 'user');
  return first ? textOf(first) : '';
}

function adopt({ children }: RunMemory, callId: string, run: RunContext): void {
  children.set(callId, [...(children.get(callId) ?? []), { run, ended: false }]);
}
