import {
  type Inbox,
  isAgentError,
  type Journal,
  type Model,
  type ModelOptions,
  type RunContext,
  type ToolResult,
  textOf,
  userMessage,
} from '@x/core';
import { unknownEffect } from '@x/core/internal';
import type { AgentDefinition } from './agent-definition.ts';
import { liveRun } from './run-context.ts';
import { isModelErrorOf, type RunFacts } from './run-facts.ts';
import type { RunOptions, RunResult } from './run-options.ts';
import { failure } from './run-tool-call.ts';

/** One task for an agent. */
export interface SubagentCall {
  readonly definition: AgentDefinition;
  readonly prompt: string;
  readonly callId: string;
  readonly signal: AbortSignal;
  /** The run that has made the call, and its facts. */
  readonly run: RunContext;
  readonly parent: RunFacts;
  readonly model: Model;
  readonly outside: (toolName: string) => string | undefined;
}

/**
 * The run that a call starts: handlers, workspace and limits of its parent. It begins with the parent's configuration before the handlers,
 * because they change the subagent's again; no tool of the parent returns directly in it.
 */
export function subagentRun(call: SubagentCall): RunOptions {
  const { definition, callId, signal, run, parent, model, outside } = call;
  const { lasting } = parent.asked;
  const journal = run.journal.child(callId);
  const { instruction, tools, options } = parent.options.config;
  const { sessionId, runId, messageId, depth } = run;
  const facts = { sessionId, runId, messageId, agentName: definition.name, depth: depth + 1, signal, journal };
  return {
    ...parent.options,
    config: {
      instruction: definition.systemPrompt ?? instruction,
      tools: tools.flatMap(({ tool }) => (outside(tool.name) === undefined ? [{ tool, returnDirectly: false }] : [])),
      input: hasBegun(journal) ? [] : [userMessage(call.prompt)],
      options: { ...options },
    },
    run: liveRun({ ...facts, parent: { run, callId } }),
    model,
    modelOptions: definition.model === undefined ? offered(lasting, definition) : {}, // they were given for that model
    inbox: emptyInbox(),
    outside,
  };
}

/** A list of tools leaves out those of the service, which it cannot name. */
function offered({ serviceTools, ...options }: ModelOptions, { tools }: AgentDefinition): ModelOptions {
  return { ...options, ...(serviceTools && tools === undefined ? { serviceTools } : {}) };
}

/** The result for the model that has delegated the task. */
export function subagentResult({ subtype, content, messages }: RunResult, name: string): ToolResult {
  if (subtype === 'aborted') return unknownEffect(`The agent ${name}`);
  const replies = messages.filter((message) => message.role === 'assistant').map(textOf);
  if (subtype === 'success') {
    return { output: content ?? (replies.at(-1) || `The agent ${name} ended without a word.`), isError: false };
  }
  const said = replies.findLast((text) => text !== '');
  const heard = said === undefined ? 'It has said nothing.' : `What it said last:\n\n${said}`;
  return failure(`The agent ${name} was stopped at its limit of turns, before its task was done. ${heard}`);
}

/** True when the run failed because of its model, an error for the model that has delegated the task; any other error ends both. */
export function isModelFailure(error: unknown, run: RunContext): boolean {
  if ((isAgentError(error) && error.name === 'SessionError') || codeOf(error) === 'STOPPED_BY_HOOK') return false;
  for (let link = error, depth = 0; link !== undefined && depth < LONGEST_CHAIN; depth++) {
    if (isModelErrorOf(run, link) || codeOf(link) === 'MODEL_ERROR') return true;
    if (isAgentError(link) && link.name === 'ModelError') return true; // its code says why
    link = link instanceof Error ? link.cause : undefined;
  }
  return false;
}

/** Maximum number of causes that are followed; a chain may be a cycle. */
const LONGEST_CHAIN = 10;

function codeOf(error: unknown): unknown {
  return error instanceof Error ? (error as { readonly code?: unknown }).code : undefined;
}

/** True when an interrupted attempt has recorded the task already. */
function hasBegun({ past }: Journal): boolean {
  return past.messages.length > 0;
}

/** An empty inbox: nobody sends messages to a subagent. */
function emptyInbox(): Inbox {
  return { take: async () => [], urgent: new AbortController().signal };
}
