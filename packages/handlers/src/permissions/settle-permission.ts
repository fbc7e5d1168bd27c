import type { AgentEvent, RunContext, Tool, ToolCall } from '@x/core';
import { callWaits, messageOf } from '@x/core/internal';
import {
  type Answer,
  answerGiven,
  askForAnswer,
  factsOf,
  orRefusal,
  type Ports,
  type Question,
} from './ask-for-answer.ts';
import { type Judgement, type JudgeOptions, judgeCall, pathsOf } from './judge-call.ts';
import { askAndWait, hasQuestion, questionState } from './question-note.ts';
import { keyOf, type PermissionNote, type Round, takeRecordedAnswer } from './recorded-answer.ts';
import type { Decision, Recheck, SandboxStanding } from './types.ts';

export interface SettleOptions extends JudgeOptions, Ports {
  readonly recheck?: Recheck;
}
/** The final decision, and the call it is about. */
export interface Verdict {
  readonly decision: Decision;
  readonly subject: Judgement['subject'];
  readonly call: ToolCall;
  /** Further content of the note about the call, if somebody has answered. */
  readonly answered?: Pick<PermissionNote, 'key' | 'updatedInput'>;
}
interface Around {
  readonly run: RunContext;
  readonly options: SettleOptions;
}

const MAX_CHANGES = 3;

/** The verdict when nobody has to be asked. */
export function unasked(
  { decision }: Pick<Judgement, 'decision'>,
  call: ToolCall,
  options: SettleOptions,
): Decision | undefined {
  if (decision.decision !== 'ask') return decision;
  if (decision.step !== 'default' || options.canUseTool || !call.tool) return undefined;
  return standardAnswer(call.tool, options);
}

/** Asks about a call, or finds its earlier answer; an input that the answer changes is judged again, at most 3 times. */
export async function* settlePermission(
  call: ToolCall,
  judgement: Judgement,
  around: Around,
): AsyncGenerator<AgentEvent, Verdict, void> {
  const { options } = around;
  const first: Round = { ...judgement, call, input: call.input };
  const remembered = await rememberedVerdict(first, around);
  if (remembered) return remembered;
  let round: Round | Decision = first;
  for (let changes = 0; ; changes++) {
    if ('step' in round) return { decision: round, call, subject: undefined };
    const settled = changes > 0 ? unasked(round, round.call, options) : undefined;
    if (settled) return await verdictOf(settled, round, first);
    const answer: Answer = yield* answerTo(round, first, around);
    if (answer === 'wait') return yield* wait(round, first, around);
    if ('step' in answer) return await verdictOf(answer, round, first);
    if (changes === MAX_CHANGES) {
      const reason = `canUseTool has changed its input more than ${MAX_CHANGES} times`;
      return { decision: { decision: 'deny', step: 'can_use_tool', reason }, call, subject: undefined };
    }
    round = await changed(round, answer.updatedInput, around);
    if (answer.byPerson && !('step' in round)) return await verdictOf(allowedAsGiven(round, options), round, first);
  }
}

/** The input that a person has given with an answer is allowed with it; what refuses without a question refuses it too. */
function allowedAsGiven(round: Round, options: SettleOptions): Decision {
  const settled = unasked(round, round.call, options);
  if (settled?.decision === 'deny') return settled;
  return { decision: 'allow', step: 'recorded_answer', reason: 'the answer to its question gives this input' };
}

/** Asks, unless the question waits already, or was answered while it did. @throws AgentError while it waits */
async function* answerTo(
  round: Round,
  first: Round,
  { run, options }: Around,
): AsyncGenerator<AgentEvent, Answer, void> {
  const { call, decision } = round;
  const question = questionOf(round, options);
  const key = options.questions && hasQuestion(call, run) ? await keyOf(first, round) : undefined;
  const state = key === undefined ? undefined : questionState(call, key, run);
  if (state === 'open') throw callWaits(call.id);
  if (state === 'expired') {
    return {
      decision: 'deny',
      step: 'nobody',
      reason: `${decision.reason}, and nobody answered before the question expired`,
    };
  }
  if (state) return await answerGiven(state.answer, question, options);
  if (options.canUseTool || options.ask) yield { type: 'permission', id: call.id, ...decision };
  return await askForAnswer(question, run, options);
}

/** @throws AgentError, unless the question cannot be recorded */
async function* wait(round: Round, first: Round, { run, options }: Around): AsyncGenerator<AgentEvent, Verdict, void> {
  const { call, subject } = round;
  const key = await keyOf(first, round);
  if (key === undefined) {
    const reason = 'it cannot wait for an answer: its input is not plain JSON, so no answer could be bound to it';
    return { decision: { decision: 'deny', step: 'input', reason }, call, subject };
  }
  const asked = {
    ...factsOf(questionOf(round, options)),
    kind: 'permission',
    toolName: call.name,
    input: call.input,
    key,
  } as const;
  return yield* askAndWait(call, asked, { run, ttlMs: options.questions?.ttlMs });
}

/** The verdict from an answer before the restart: valid for everything that it was about, and for nothing else. */
async function rememberedVerdict(first: Round, around: Around): Promise<Verdict | undefined> {
  const note = takeRecordedAnswer(first.call, around.run);
  if (!note) return undefined;
  const { updatedInput, matchedRule, reason: recorded, step } = note;
  if (note.decision === 'deny') {
    const decision: Decision = {
      decision: 'deny',
      step,
      reason: recorded,
      ...(note.interrupt ? { interrupt: true } : {}),
    };
    return { decision, call: first.call, subject: first.subject };
  }
  const round = updatedInput === undefined ? first : await changed(first, updatedInput, around);
  if ('step' in round) return { decision: round, call: first.call, subject: undefined };
  const settled = unasked(round, round.call, around.options);
  if (settled?.decision === 'deny') return await verdictOf(settled, round, first);
  // Also when a rule allows it by now: the note may be about another input.
  if (note.key !== (await keyOf(first, round))) return undefined;
  if (settled) return await verdictOf(settled, round, first);
  const reason = 'it was allowed before the run was interrupted';
  const rule = matchedRule === undefined ? {} : { matchedRule };
  return await verdictOf({ decision: 'allow', step: 'recorded_answer', reason, ...rule }, round, first);
}

/** The call with another input, parsed by the schema again; or the refusal. */
async function changed(
  { call: judged }: Round,
  updatedInput: unknown,
  { run, options }: Around,
): Promise<Round | Decision> {
  const { approval, ...rest } = judged;
  // A hook's `allow` was for another input; its `ask` still applies.
  let call: ToolCall = { ...rest, input: updatedInput, ...(approval === 'ask' ? { approval } : {}) };
  let parsed = parse(call);
  if ('step' in parsed) return parsed;
  const { recheck } = options;
  if (recheck) {
    const before = call;
    const outcome = await orRefusal(() => recheck(before, run), { signal: call.signal, step: 'hook', who: 'a hook' });
    if ('refused' in outcome) return outcome.refused;
    if ('refusal' in outcome) return { decision: 'deny', step: 'hook', reason: outcome.refusal };
    call = outcome.call;
    if (call.input !== updatedInput) parsed = parse(call);
    if ('step' in parsed) return parsed;
  }
  return { ...(await judgeCall(call, parsed.input, options)), call, input: parsed.input };
}

function parse({ tool, input }: ToolCall): { readonly input: unknown } | Decision {
  try {
    return { input: tool?.inputSchema.parse(input) };
  } catch (error) {
    return { decision: 'deny', step: 'input', reason: `the changed input does not fit: ${messageOf(error)}` };
  }
}

function questionOf(round: Round, { sandboxed }: SettleOptions): Question {
  return { ...round, unsandboxed: isOutside(sandboxed?.(round.call, pathsOf(round.subject))) };
}

function isOutside(standing: SandboxStanding | undefined): boolean {
  return standing === 'outside' || standing === 'outside_if_asked';
}

async function verdictOf(decision: Decision, round: Round, first: Round): Promise<Verdict> {
  const { call, subject } = round;
  const key = decision.decision === 'allow' ? await keyOf(first, round) : undefined;
  if (key === undefined) return { decision, call, subject };
  const updated = call.input === first.call.input ? {} : { updatedInput: call.input };
  return { decision, call, subject, answered: { key, ...updated } };
}

/** Stands in for an absent `canUseTool` where nothing spoke of the call: readonly tools and the host's own run, nothing else. */
function standardAnswer(tool: Tool, { policy }: SettleOptions): Decision | undefined {
  if (tool.kind === 'readonly')
    return { decision: 'allow', step: 'default', reason: 'readonly tools run in every mode' };
  if (policy.isOwn?.(tool)) return { decision: 'allow', step: 'default', reason: 'the host brought this tool itself' };
  return undefined;
}
