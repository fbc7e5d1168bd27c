import {
  type AgentConfig,
  type AgentEvent,
  type AgentHandler,
  isContextOverflow,
  type Message,
  type ModelNext,
  type ModelRequest,
  type ModelStream,
  type RunContext,
} from '@x/core';
import { type CompactionRecord, compacted, messageOf } from '@x/core/internal';
import { beforeFirstDelta } from '@x/core/streams';
import { ownHandler } from '../own-handler.ts';
import { type CompactionOutcome, compact, windowOf } from './compact.ts';
import { type CompactionOptions, type CompactionRules, compactionRules } from './compaction-options.ts';
import { type CompactionWish, sees, waitingWish, wishDone } from './compaction-request.ts';
import { type ContextSize, contextSize, contextTokens, estimateText, estimateTool } from './estimate-tokens.ts';
import { isFarBelow, TokenCounter } from './token-counter.ts';

type AskedRequest = Omit<ModelRequest, 'messages' | 'signal'>;

/** State of one run. None of it has to survive: the journal's view is the compacted one. */
interface RunState {
  /** Tokens of instruction and tools. */
  readonly overhead: () => number;
  /** The last request of the run, or the one with which it begins, for its instruction, tools and options. */
  request: () => AskedRequest;
  /** After an attempt, whatever its outcome, the history must grow to this many tokens before the next. */
  askAgainAt: number;
  /** The hook blocks at most one attempt of a run. */
  blocked?: true;
  /** Made in the middle of a turn, and still to be applied to the history of the loop. */
  pending?: CompactionRecord | undefined;
}

/** As a fraction of the window. */
const GROWTH = 0.1;
const NOTHING: AskedRequest = { instruction: '', tools: [] };
const BLOCKED: AgentEvent = {
  type: 'notification',
  kind: 'compaction_blocked',
  message: 'A hook has blocked the compaction',
};

/**
 * Compacts the history when it fills `threshold` of the model's window, or when the service refuses it as too long: older messages are
 * replaced by a summary, which one model call writes. Pairs of call and answer, the last turns and pinned messages stay. The cut is a
 * journal record, durable before it is used, and applies from then on; no record is deleted. Belongs outside of retry and fallback. A
 * compaction that fails or is blocked leaves the history as it is (at the threshold) or the refusal of the service (on overflow). The hook
 * may block one attempt of a run; it is informed of later ones. A request by `requestCompaction` is carried out before the next model call.
 * @throws ValidationError for invalid options
 */
export function compactionHandler(options: CompactionOptions): AgentHandler {
  const rules = compactionRules('compactionHandler', options);
  const counter = new TokenCounter();
  const states = new WeakMap<RunContext, RunState>();
  const stateOf = (run: RunContext): RunState => {
    const state = states.get(run) ?? { overhead: () => 0, request: () => NOTHING, askAgainAt: 0 };
    states.set(run, state);
    return state;
  };
  return ownHandler({
    name: 'compaction',
    beforeAgent(config, run) {
      const request = begunWith(config, run, rules);
      states.set(run, { overhead: () => overheadOf(request()), request, askAgainAt: 0 });
    },
    async beforeModelRewriteHistory(given, run) {
      const concern = { run, rules, state: stateOf(run), counter };
      const messages = applyPending(given, concern.state);
      const wanted = waitingWish(run);
      const kept = await (wanted ? asAsked(messages, concern, wanted) : atThreshold(messages, concern));
      const { overhead } = concern.state;
      sees(run, { messages: kept, tokens: () => contextTokens(kept, overhead), window: windowOf(rules.model(run)) });
      return kept;
    },
    wrapModelCall(request, next, run) {
      const state = stateOf(run);
      state.request = () => request;
      return beforeFirstDelta(
        () => next(request),
        (error) => afterOverflow(error, { request, next, run, rules, state, counter }),
      );
    },
    afterModelRewriteHistory: (messages, run) => applyPending(messages, stateOf(run)),
  });
}

interface Concern {
  readonly run: RunContext;
  readonly rules: CompactionRules;
  readonly state: RunState;
  readonly counter: TokenCounter;
}

async function atThreshold(messages: readonly Message[], concern: Concern): Promise<readonly Message[]> {
  const { run, rules, state } = concern;
  const window = windowOf(rules.model(run));
  const limit = Math.max(window * rules.threshold, state.askAgainAt);
  const size = contextSize(messages, state.overhead);
  if (isFarBelow(size, limit)) return messages; // nearly always, and then without a wait
  const tokens = await tokensNear(limit, size, { messages, ...concern });
  if (tokens < limit || run.signal.aborted) return messages;
  const tell = (event: AgentEvent) => run.emit(event);
  state.askAgainAt = tokens + window * GROWTH;
  try {
    const { blocked: decided = false } = state;
    const task = { run, rules, trigger: 'auto', tokens, force: false, decided, signal: run.signal, tell } as const;
    const outcome = await compact(messages, task);
    if (!outcome.compacted) {
      compactionEvents(outcome, state, tell);
      return messages;
    }
    state.askAgainAt = contextTokens(outcome.messages, state.overhead) + window * GROWTH;
    return outcome.messages;
  } catch (error) {
    if (run.signal.aborted) return messages; // the loop sees it and ends
    if (!isFailedSummary(error)) throw error;
    tell(failed(error));
    return messages;
  }
}

async function tokensNear(
  limit: number,
  size: ContextSize,
  { messages, run, rules, state, counter }: Concern & { readonly messages: readonly Message[] },
): Promise<number> {
  const model = rules.model(run);
  const request = () => ({ ...state.request(), messages });
  return await counter.tokens({ model, size, limit, window: windowOf(model), request, signal: run.signal });
}

/** Compacts because a tool of the run has requested it; whatever the outcome, it is reported and the request is done. */
async function asAsked(
  messages: readonly Message[],
  { run, rules, state }: Concern,
  { instructions }: CompactionWish,
): Promise<readonly Message[]> {
  const wish = [rules.instructions, instructions].filter((text) => text !== undefined).join('\n');
  const tell = (event: AgentEvent) => run.emit(event);
  const tokens = contextTokens(messages, state.overhead);
  const asked = { ...rules, ...(wish === '' ? {} : { instructions: wish }) };
  try {
    const { signal } = run;
    const outcome = await compact(messages, {
      run,
      rules: asked,
      trigger: 'manual',
      tokens,
      force: true,
      signal,
      tell,
    });
    await wishDone(run);
    if (outcome.compacted) return outcome.messages;
    tell(unchanged(outcome.reason));
  } catch (error) {
    if (run.signal.aborted) return messages; // the loop sees it and ends
    if (!isFailedSummary(error)) throw error;
    await wishDone(run);
    tell(failed(error));
  }
  return messages;
}

async function* afterOverflow(
  error: unknown,
  { request, next, run, rules, state }: Concern & { readonly request: ModelRequest; readonly next: ModelNext },
): ModelStream {
  if (!isContextOverflow(error) || request.signal.aborted) throw error;
  const events: AgentEvent[] = [];
  const tell = (event: AgentEvent) => void events.push(event);
  const { messages, signal } = request;
  const tokens = contextTokens(messages, state.overhead);
  const { blocked: decided = false } = state;
  const task = { run, rules, trigger: 'auto', tokens, force: true, decided, signal, tell } as const;
  const outcome = await compact(messages, task).catch((reason: unknown) => {
    if (!isFailedSummary(reason)) throw reason;
    tell(failed(reason));
    return undefined;
  });
  if (outcome?.compacted) state.pending = outcome.record;
  else if (outcome) compactionEvents(outcome, state, tell);
  yield* events;
  if (!outcome?.compacted) throw error;
  state.askAgainAt = contextTokens(outcome.messages, state.overhead) + windowOf(rules.model(run)) * GROWTH;
  return yield* next({ ...request, messages: outcome.messages });
}

/** Applies the cut of an overflow to the history of the loop too, as soon as that can be changed. */
function applyPending(messages: readonly Message[], state: RunState): readonly Message[] {
  const { pending } = state;
  if (!pending) return messages;
  state.pending = undefined;
  return compacted(messages, pending);
}

function unchanged(reason: 'nothing_to_replace' | 'blocked'): AgentEvent {
  if (reason === 'blocked') return BLOCKED;
  return { type: 'notification', kind: 'compaction_failed', message: 'There is nothing to compact yet' };
}

function compactionEvents(
  outcome: Extract<CompactionOutcome, { compacted: false }>,
  state: RunState,
  tell: (event: AgentEvent) => void,
): void {
  if (outcome.reason !== 'blocked') return;
  state.blocked = true;
  tell(BLOCKED);
}

function failed(error: unknown): AgentEvent {
  return { type: 'notification', kind: 'compaction_failed', message: messageOf(error) };
}

function isFailedSummary(error: unknown): boolean {
  return (error as { readonly code?: unknown } | undefined)?.code === 'COMPACTION_FAILED';
}

function overheadOf({ instruction, tools }: AskedRequest): number {
  return tools.reduce((sum, tool) => sum + estimateTool(tool), estimateText(instruction));
}

/** Made on first use, and once. */
function begunWith(
  { instruction, tools: all }: AgentConfig,
  run: RunContext,
  rules: CompactionRules,
): () => AskedRequest {
  let request: AskedRequest | undefined;
  return () => (request ??= made());

  function made(): AskedRequest {
    const tools = all.map(({ tool }) => tool);
    return { instruction, tools: rules.sentTools?.(tools, run) ?? tools };
  }
}
