import {
  type AgentEvent,
  type Journal,
  type Message,
  type StreamMessage,
  type TokenUsage,
  textOf,
  userMessage,
} from '@x/core';
import { flattened, forwarded, leaveAtOnce, readToEnd } from '@x/core/streams';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { chatBeginning } from './chat-input.ts';
import {
  type ChatModelAgentOptions,
  type ChatModelAgentParts,
  chatModelAgentParts,
} from './chat-model-agent-options.ts';
import { concludeRun, type RunOutcome } from './conclude-run.ts';
import { isStreamMessage } from './is-stream-message.ts';
import { runAgent } from './run-agent.ts';
import { liveRun } from './run-context.ts';
import type { RunOptions, RunResult } from './run-options.ts';
import { type TalliedJournal, talliedJournal } from './tallied-journal.ts';

/** Options of one run. */
export interface ChatRunOptions {
  /** Ends the run with `aborted`. */
  readonly signal?: AbortSignal;
  /** For one run; its past is continued. Default: a new one in memory. */
  readonly journal?: Journal;
  /** Part of the keys of the run's calls; pass the same with the journal of an interrupted run. Default: a fresh id. */
  readonly sessionId?: string;
}
/** Options of one stream. */
export interface ChatStreamOptions extends ChatRunOptions {
  /** Default false. */
  readonly includeThinking?: boolean;
}
/** The end of a run of a `ChatModelAgent` that did not fail. */
export interface ChatModelAgentResult {
  readonly subtype: RunResult['subtype'];
  /** The last reply's text, or the output of the call that ended the run. */
  readonly content: string;
  /** The value that a handler has made of the answer; present only when one has, see `outputFormatHandler`. */
  readonly structured?: unknown;
  /** The whole conversation, input and history included. */
  readonly messages: readonly Message[];
  /** Usage of all model calls of this run, those of subagents included. */
  readonly usage: TokenUsage;
  /** Turns used. */
  readonly turns: number;
}
/** A model with its tools and handlers. Runs share nothing, so any number may be under way. */
export interface ChatModelAgent {
  readonly name: string;
  readonly description: string;
  /** Runs with a text, or a conversation that ends with a user message. Rejects with the error of the run. */
  run(input: string | readonly Message[], options?: ChatRunOptions): Promise<ChatModelAgentResult>;
  /**
   * The events of a session's stream: `result` last, after an `error` when the run failed. Leaving early aborts the run and waits until its
   * calls are answered.
   */
  stream(input: string | readonly Message[], options?: ChatStreamOptions): AsyncGenerator<StreamMessage, void, void>;
  /** Runs every `beforeAgent` once on a throw-away configuration. Rejects with the first error. */
  validate(): Promise<void>;
}

/**
 * Creates an agent without a session: middlewares first, then handlers, in list order. There are no permissions here: every tool runs
 * unless a handler refuses.
 * @throws ValidationError
 */
export function createChatModelAgent(options: ChatModelAgentOptions): ChatModelAgent {
  const parts = chatModelAgentParts(options);
  const { name, description } = parts;
  return {
    name,
    description,
    run: async (input, given = {}) => await finished(beginRun(parts, input, given)),
    stream: (input, { includeThinking = false, ...given } = {}) =>
      shownEvents(beginRun(parts, input, given), includeThinking),
    validate: async () => await tryHandlers(beginRun(parts, [userMessage('')], {})),
  };
}

async function tryHandlers({ options: { pipeline, config, run } }: BegunRun): Promise<void> {
  try {
    await pipeline.beforeAgent(config, run);
  } finally {
    await pipeline.runEnded({ subtype: 'aborted' }, run);
  }
}

const RUN: OptionRules<ChatRunOptions> = { signal: is.abortSignal, journal: is.anything, sessionId: is.text };

interface BegunRun {
  readonly options: RunOptions;
  readonly tally: TalliedJournal;
  readonly abort: AbortController;
}

function beginRun(parts: ChatModelAgentParts, said: string | readonly Message[], given: ChatRunOptions): BegunRun {
  checkOptions('Run options', given, RUN);
  const { name, model, modelOptions, instruction, tools, pipeline, maxTurns, workspace, limits } = parts;
  const { journal, input } = chatBeginning(said, given.journal);
  const tally = talliedJournal(journal);
  const abort = new AbortController();
  const run = liveRun({
    sessionId: given.sessionId ?? crypto.randomUUID(),
    runId: crypto.randomUUID(),
    agentName: name,
    messageId: input[0]?.id ?? journal.past.messages.findLast(({ role }) => role === 'user')?.id ?? '',
    depth: 0,
    signal: given.signal ? AbortSignal.any([abort.signal, given.signal]) : abort.signal,
    journal: tally.journal,
  });
  const metas = tools.map((tool) => ({ tool, returnDirectly: false }));
  const config = { instruction, tools: metas, input: [...input], options: { maxTurns } };
  const inbox = { take: async () => [], urgent: new AbortController().signal };
  return { options: { ...limits, config, pipeline, run, model, modelOptions, inbox, workspace }, tally, abort };
}

/** The run with its end as events, which observers see first; an observer that fails makes it an error. */
async function* toTheEnd({ options, tally }: BegunRun): AsyncGenerator<AgentEvent, RunOutcome, void> {
  const { pipeline, run } = options;
  const startedAt = performance.now();
  let ended: RunOutcome;
  try {
    ended = yield* runAgent(options);
  } catch (failure) {
    ended = { subtype: 'error', failure };
  }
  const durationMs = Math.round(performance.now() - startedAt);
  const { outcome, events } = await concludeRun(ended, { pipeline, run, summary: { ...tally.facts(), durationMs } });
  yield* events;
  return outcome;
}

/** Reads the run to its end. */
async function finished(begun: BegunRun): Promise<ChatModelAgentResult> {
  let { turns } = begun.tally.journal.past;
  const ended = await readToEnd(toTheEnd(begun), (event) => {
    if (event.type === 'turn_start') turns = event.turn;
  });
  if ('failure' in ended) throw ended.failure;
  const { lastReply, usage } = begun.tally.facts();
  const { subtype, messages, content = lastReply ? textOf(lastReply) : '' } = ended;
  const structured = Object.hasOwn(ended, 'structured') ? { structured: ended.structured } : {};
  return { subtype, content, ...structured, messages, usage, turns };
}

function shownEvents(begun: BegunRun, includeThinking: boolean): AsyncGenerator<StreamMessage, void, void> {
  const abort = () => begun.abort.abort();
  const stream = forwarded(() => toTheEnd(begun), {
    event: (event) => (isStreamMessage(event) && (includeThinking || event.type !== 'thinking') ? event : undefined),
    end: () => undefined,
    leave: (events) => {
      abort();
      return readToEnd(events);
    },
  });
  return leaveAtOnce(flattened(stream), abort); // flattened: calls made at once are answered one after the other
}
