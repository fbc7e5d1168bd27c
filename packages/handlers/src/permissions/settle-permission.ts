import { type AgentEvent, messageOf, type RunContext, type ToolCall } from '@x/core';
import { canonicalJson } from '../canonical-json.ts';
import { type Answer, askForAnswer, orRefusal, type Ports, type Question } from './ask-for-answer.ts';
import { type Judgement, type JudgeOptions, judgeCall } from './judge-call.ts';
import { keyOf, type PermissionNote, takeRecordedAnswer } from './recorded-answer.ts';
import { standardAnswer } from './standard-answer.ts';
import type { Decision, Recheck } from './types.ts';

export interface SettleOptions extends JudgeOptions, Ports {
  readonly recheck?: Recheck;
}
/** The final word, and the call it is about. */
export interface Verdict extends Judgement {
  readonly call: ToolCall;
  /** What the note about the call holds beside the decision. */
  readonly answered?: Pick<PermissionNote, 'key' | 'updatedInput'>;
}
interface Round extends Judgement {
  readonly call: ToolCall;
  /** Parsed. */
  readonly input: unknown;
}

const MAX_CHANGES = 3;

/** The verdict where nobody has to be asked. */
export function unasked({ decision }: Judgement, call: ToolCall, options: SettleOptions): Decision | undefined {
  if (decision.decision !== 'ask') return decision;
  if (decision.step !== 'default' || options.canUseTool || !call.tool) return undefined;
  return standardAnswer({ kind: call.tool.kind, isOwn: options.policy.isOwn?.(call.tool) ?? false });
}

/** Asks about a call, or finds the answer it has had; an input that the answer changes is judged anew, at most 3 times. */
export async function* settlePermission(
  call: ToolCall,
  first: Judgement,
  { run, options }: { run: RunContext; options: SettleOptions },
): AsyncGenerator<AgentEvent, Verdict, void> {
  const earlier = await takeRecordedAnswer(call, run);
  let round: Round | Decision = { ...first, call, input: call.input };
  if (earlier?.updatedInput !== undefined) round = await changed(round, earlier.updatedInput, { run, options });
  for (let changes = 0; ; changes++) {
    if ('step' in round) return { decision: round, call, subject: undefined };
    const settled = unasked(round, round.call, options) ?? (earlier && recorded(round, earlier));
    if (settled) return await verdictOf(settled, round, call, changes > 0 || earlier !== undefined);
    if (options.canUseTool || options.ask) yield { type: 'permission', id: call.id, ...round.decision };
    const answer: Answer = await askForAnswer(questionOf(round, options), run, options);
    if ('step' in answer) return await verdictOf(answer, round, call, true);
    if (changes === MAX_CHANGES) {
      const reason = `canUseTool has changed its input more than ${MAX_CHANGES} times`;
      return { decision: { decision: 'deny', step: 'can_use_tool', reason }, call, subject: undefined };
    }
    round = await changed(round, answer.updatedInput, { run, options });
  }
}

/** The call with another input, from the schema on; or why it is refused. */
async function changed(
  { call: judged }: Round,
  updatedInput: unknown,
  { run, options }: { run: RunContext; options: SettleOptions },
): Promise<Round | Decision> {
  const { approval, ...rest } = judged;
  // What a hook has allowed was another input; what it wanted to be asked about still is.
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

/** The answer of before the restart is good for the input it was about, and no other. */
function recorded({ call }: Round, { updatedInput, matchedRule }: PermissionNote): Decision | undefined {
  if (updatedInput !== undefined && canonicalJson(call.input) !== canonicalJson(updatedInput)) return undefined;
  const reason = 'it was allowed before the run was interrupted';
  return { decision: 'allow', step: 'recorded_answer', reason, ...(matchedRule === undefined ? {} : { matchedRule }) };
}

function questionOf(round: Round, { sandboxed }: SettleOptions): Question {
  return { ...round, unsandboxed: sandboxed?.(round.call) === 'outside' };
}

async function verdictOf(
  decision: Decision,
  { call, subject }: Round,
  asked: ToolCall,
  isAnswered: boolean,
): Promise<Verdict> {
  const key = isAnswered && decision.decision === 'allow' ? await keyOf(asked) : undefined;
  if (key === undefined) return { decision, call, subject };
  return {
    decision,
    call,
    subject,
    answered: { key, ...(call.input === asked.input ? {} : { updatedInput: call.input }) },
  };
}
