import { isAgentError, messageOf, type RunContext, type ToolCall } from '@x/core';
import { canonicalJson } from '../canonical-json.ts';
import type { JudgedSubject } from './match-rule.ts';
import { readAnswer } from './read-answer.ts';
import { refusalText } from './refusal-text.ts';
import type { AskPort, CanUseTool, CanUseToolOptions, Decision } from './types.ts';
import { waitForAnswer } from './wait-for-answer.ts';

/** Whom to ask, in this order. */
export interface Ports {
  readonly canUseTool?: CanUseTool;
  readonly ask?: AskPort;
}
/** A call that somebody has to answer for. */
export interface Question {
  readonly call: ToolCall;
  /** As the tool will get it. */
  readonly input: unknown;
  readonly subject: JudgedSubject | undefined;
  readonly decision: Decision;
  readonly unsandboxed: boolean;
}
/** The final word about a call, or another input to judge. */
export type Answer = Decision | { readonly updatedInput: unknown };

/** Asks until somebody answers; nobody is a refusal that says how to allow the call. @throws AgentError `STOPPED_BY_HOOK` */
export async function askForAnswer(question: Question, run: RunContext, ports: Ports): Promise<Answer> {
  const { call, subject, decision } = question;
  const answer =
    (ports.canUseTool && (await answerOfHost(question, run, ports.canUseTool))) ??
    (ports.ask && (await answerOfHooks(question, run, ports.ask)));
  if (answer) return answer;
  const reason = refusalText(decision, { call, subject, canUseTool: ports.canUseTool !== undefined });
  const { matchedRule } = decision;
  return { decision: 'deny', step: 'nobody', reason, ...(matchedRule === undefined ? {} : { matchedRule }) };
}

/** Waits for something that may throw; what it threw becomes a refusal of that step, short of a hook that stops the run. */
export async function orRefusal<T>(
  ask: () => T | Promise<T>,
  { signal, step, who }: { signal: AbortSignal; step: Decision['step']; who: string },
): Promise<T | { readonly refused: Decision }> {
  try {
    return await waitForAnswer(ask, signal);
  } catch (error) {
    if (signal.aborted) {
      return { refused: { decision: 'deny', step: 'aborted', reason: 'the run was aborted before it was allowed' } };
    }
    if (isAgentError(error) && error.code === 'STOPPED_BY_HOOK') throw error;
    return { refused: { decision: 'deny', step, reason: `${who} failed: ${messageOf(error)}` } };
  }
}

async function answerOfHost(question: Question, run: RunContext, canUseTool: CanUseTool): Promise<Answer | undefined> {
  const { call, input } = question;
  const { name, signal } = call;
  const options = optionsFor(question, run);
  const step = 'can_use_tool';
  const given = await orRefusal(async () => ({ answer: await canUseTool(name, copyOf(call.input), options) }), {
    signal,
    step,
    who: 'canUseTool',
  });
  if ('refused' in given) return given.refused;
  const answer = readAnswer(given.answer);
  if (answer.behavior === 'ask') return undefined;
  if (answer.behavior === 'deny') return { decision: 'deny', step, reason: answer.message };
  const { updatedInput } = answer;
  if (updatedInput !== undefined && !isSame(updatedInput, call.input) && !isSame(updatedInput, input)) {
    return { updatedInput };
  }
  return { decision: 'allow', step, reason: 'canUseTool allows it' };
}

/** What the host is told beside the tool and its input. */
function optionsFor({ call, subject, decision, unsandboxed }: Question, run: RunContext): CanUseToolOptions {
  const { id: callId, signal, tool } = call;
  const { agentName, depth } = run;
  const { reason, matchedRule } = decision;
  return {
    signal,
    ...(tool ? { toolKind: tool.kind } : {}),
    callId,
    agentName,
    depth,
    unsandboxed,
    reason,
    ...(matchedRule === undefined ? {} : { matchedRule }),
    ...(subject?.type === 'paths' ? { resolvedPaths: subject.paths.map(({ resolved }) => resolved) } : {}),
  };
}

async function answerOfHooks(question: Question, run: RunContext, ask: AskPort): Promise<Decision | undefined> {
  const { call, decision, unsandboxed } = question;
  const { signal } = call;
  const { reason, matchedRule } = decision;
  const request = { call, run, reason, ...(matchedRule === undefined ? {} : { matchedRule }), unsandboxed };
  const step = 'permission_request';
  const given = await orRefusal(async () => ({ answer: await ask(request, { signal }) }), {
    signal,
    step,
    who: 'the PermissionRequest hook',
  });
  if ('refused' in given) return given.refused;
  const { answer } = given;
  if (answer?.decision === 'approve') {
    return { decision: 'allow', step, reason: answer.reason ?? 'a PermissionRequest hook approves it' };
  }
  if (answer?.decision !== 'deny') return undefined;
  return { decision: 'deny', step, reason: answer.reason ?? 'a PermissionRequest hook denies it' };
}

/** What the host does to the input it is shown must not change the one that was judged. */
function copyOf(input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch {
    return input; // holds what cannot be copied, such as a function of the tool's own schema
  }
}

function isSame(one: unknown, other: unknown): boolean {
  const text = canonicalJson(one);
  return text !== undefined && text === canonicalJson(other);
}
