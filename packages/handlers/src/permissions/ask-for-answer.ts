import { isAgentError, type RunContext, type ToolCall } from '@x/core';
import { messageOf, present, unlessAborted } from '@x/core/internal';
import { canonicalJson } from '../canonical-json.ts';
import type { JudgedSubject } from './match-rule.ts';
import type { Places } from './path-rule.ts';
import { ANSWER, type QuestionOptions } from './question-note.ts';
import { type ReadAnswer, readAnswer } from './read-answer.ts';
import { refusalText } from './refusal-text.ts';
import { suggestedRule } from './suggested-rule.ts';
import type { AskPort, CanUseTool, CanUseToolOptions, Decision } from './types.ts';

/** The parties to ask, in this order. */
export interface Ports {
  readonly canUseTool?: CanUseTool;
  readonly ask?: AskPort;
  /** Keeps rules that `canUseTool` asks to remember. @throws ValidationError for an invalid one */
  readonly remember: (rules: readonly string[]) => Promise<void>;
  /** Without it no call may wait. */
  readonly questions?: QuestionOptions;
}
/** A call that needs an answer. */
export interface Question {
  readonly call: ToolCall;
  /** The input that the tool will get. */
  readonly input: unknown;
  readonly subject: JudgedSubject | undefined;
  readonly places: Places;
  readonly decision: Decision;
  readonly unsandboxed: boolean;
}
/** The final decision about a call, or another input to judge, or nothing yet. */
export type Answer = Decision | { readonly updatedInput: unknown; readonly byPerson: boolean } | 'wait';

/**
 * Asks until somebody answers; without an answer the call is refused with advice on how to allow it. @throws AgentError `STOPPED_BY_HOOK`
 */
export async function askForAnswer(question: Question, run: RunContext, ports: Ports): Promise<Answer> {
  const { call, subject, decision } = question;
  const answer =
    (ports.canUseTool && (await answerOfHost(question, run, { ...ports, canUseTool: ports.canUseTool }))) ??
    (ports.ask && (await answerOfHooks(question, run, ports.ask)));
  if (answer) return answer;
  if (ports.questions?.askPolicy === 'wait') return 'wait';
  const rule = ruleFor(question);
  const reason = refusalText(decision, { call, subject, rule, canUseTool: ports.canUseTool !== undefined });
  const { matchedRule } = decision;
  return { decision: 'deny', step: 'nobody', reason, ...(matchedRule === undefined ? {} : { matchedRule }) };
}

/** Waits for an answer; an error becomes a refusal of that step, except for a hook that stops the run. */
export async function orRefusal<T>(
  ask: () => T | Promise<T>,
  { signal, step, who }: { signal: AbortSignal; step: Decision['step']; who: string },
): Promise<T | { readonly refused: Decision }> {
  try {
    return await unlessAborted(ask, signal);
  } catch (error) {
    if (signal.aborted) {
      return { refused: { decision: 'deny', step: 'aborted', reason: 'the run was aborted before it was allowed' } };
    }
    if (isAgentError(error) && error.code === 'STOPPED_BY_HOOK') throw error;
    return { refused: { decision: 'deny', step, reason: `${who} failed: ${messageOf(error)}` } };
  }
}

/** The rule that would have avoided the question; undefined unless the last step asks. */
function ruleFor({ call, subject, places, decision }: Question): string | undefined {
  return decision.step === 'default' ? suggestedRule(call, subject, places) : undefined;
}

async function answerOfHost(
  question: Question,
  run: RunContext,
  ports: Ports & { readonly canUseTool: CanUseTool },
): Promise<Answer | undefined> {
  const { name, signal, input } = question.call;
  const options = { ...factsFor(question, run), signal };
  const step = 'can_use_tool';
  const given = await orRefusal(async () => ({ answer: await ports.canUseTool(name, copyOf(input), options) }), {
    signal,
    step,
    who: 'canUseTool',
  });
  if ('refused' in given) return given.refused;
  const answer = readAnswer(given.answer);
  if (answer.behavior === 'ask') return undefined;
  return await understood(answer, question, { ...ports, step, who: 'canUseTool' });
}

/** The answer of a person, given to the question while no process was waiting for it. */
export async function answerGiven(answer: unknown, question: Question, ports: Ports): Promise<Answer> {
  const read = readAnswer(answer, ANSWER);
  const { reason } = question.decision;
  if (read.behavior === 'ask') return { decision: 'deny', step: 'nobody', reason };
  return await understood(read, question, { ...ports, step: 'recorded_answer', who: ANSWER });
}

interface Answering extends Ports {
  readonly step: Decision['step'];
  readonly who: string;
}

async function understood(
  answer: Exclude<ReadAnswer, { behavior: 'ask' }>,
  { call, input }: Question,
  { questions, remember, step, who }: Answering,
): Promise<Answer> {
  const { signal } = call;
  if (answer.behavior === 'wait') {
    const reason = `${who} lets it wait for an answer, which only a session can`;
    return questions ? 'wait' : { decision: 'deny', step, reason };
  }
  if (answer.behavior === 'deny') {
    return { decision: 'deny', step, reason: answer.message, ...(answer.interrupt ? { interrupt: true } : {}) };
  }
  const { updatedInput, remember: rules = [] } = answer;
  if (rules.length > 0) {
    const kept = await orRefusal(() => remember(rules), { signal, step, who: `what ${who} wants remembered` });
    if (kept) return kept.refused;
  }
  if (updatedInput !== undefined && !isSame(updatedInput, call.input) && !isSame(updatedInput, input)) {
    return { updatedInput, byPerson: step === 'recorded_answer' };
  }
  return { decision: 'allow', step, reason: `${who} allows it` };
}

/** Facts for the host, in addition to the tool and its input. */
function factsFor(question: Question, run: RunContext): Omit<CanUseToolOptions, 'signal'> {
  const { id: callId, tool } = question.call;
  const { agentName, depth } = run;
  return { ...(tool ? { toolKind: tool.kind } : {}), callId, agentName, depth, ...factsOf(question) };
}

/** The part of them that a question which waits is recorded with. */
export function factsOf(
  question: Question,
): Pick<CanUseToolOptions, 'unsandboxed' | 'reason' | 'matchedRule' | 'suggestedRule' | 'resolvedPaths'> {
  const { subject, decision, unsandboxed } = question;
  const { reason, matchedRule } = decision;
  const resolvedPaths = subject?.type === 'paths' ? subject.paths.map(({ resolved }) => resolved) : undefined;
  return { unsandboxed, reason, ...present({ matchedRule, suggestedRule: ruleFor(question), resolvedPaths }) };
}

async function answerOfHooks(question: Question, run: RunContext, ask: AskPort): Promise<Decision | undefined> {
  const { call, decision, unsandboxed } = question;
  const { signal } = call;
  const { reason, matchedRule } = decision;
  const more = present({ matchedRule, suggestedRule: ruleFor(question) });
  const request = { call, run, reason, ...more, unsandboxed };
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
  if (answer === undefined || answer.decision === 'ask') return undefined;
  if (answer?.decision !== 'deny') {
    return {
      decision: 'deny',
      step,
      reason: "the ask port must answer { decision: 'approve' | 'deny' | 'ask' }, or nothing",
    };
  }
  return { decision: 'deny', step, reason: answer.reason ?? 'a PermissionRequest hook denies it' };
}

/** A copy of the input for the host, whose changes must not affect the judged one. */
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
