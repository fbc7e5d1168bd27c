import {
  type AgentConfig,
  AgentError,
  type AgentEvent,
  type AssistantMessage,
  type Message,
  type ModelOptions,
  type ModelRequest,
  type RunContext,
  type Tool,
  toolUsesOf,
  type UserMessage,
} from '@x/core';
import { admitComputer, faultOfReply, frozen, toolMessage } from '@x/core/internal';
import { flattened, inner, type Nested } from '@x/core/streams';
import { checkOptions } from '@x/errors/option-rules';
import { withoutRecorded } from './added-input.ts';
import { admit, leaveOut } from './admit.ts';
import { AskedOptions } from './asked-options.ts';
import { ComingTools } from './coming-tools.ts';
import { endOfRun } from './end-of-run.ts';
import { modelTurn } from './model-turn.ts';
import { onceDurable } from './once-durable.ts';
import { requestMaker } from './request-maker.ts';
import { RequestSignal } from './request-signal.ts';
import { runBatches } from './run-batches.ts';
import { rememberRun } from './run-facts.ts';
import { RUN_OPTIONS, type RunOptions, type RunResult } from './run-options.ts';

/**
 * The loop: ask the model, run the tools it requests, ask again. An interrupted attempt in the journal is continued where it ended. Abort
 * is a value; only a handler's error, a model error and a lost journal are thrown.
 * @throws ValidationError for an unknown option
 */
export function runAgent(options: RunOptions): AsyncGenerator<AgentEvent, RunResult, void> {
  checkOptions('runAgent options', options, RUN_OPTIONS);
  return options.pipeline.observe(flattened(loop(options)), options.run);
}

async function* loop(options: RunOptions): Nested<AgentEvent, RunResult> {
  const { pipeline, run } = options;
  const coming = options.comingTools && new ComingTools(options.comingTools);
  const given = cloneConfig(options.config, coming?.known);
  const config = inside(await pipeline.beforeAgent(given, run), options);
  admitComputer(
    options.model,
    config.tools.map(({ tool }) => tool),
  );
  const asked = new AskedOptions(options);
  rememberRun(run, { options, config, asked });
  await leaveOut(options.config.input, config.input, run);
  await asked.begin();
  const signal = new RequestSignal(run.signal);
  try {
    const request = requestMaker({ config, coming }, signal, options);
    const all = inner(turns({ config, request, options, asked }));
    yield all;
    return all.result;
  } finally {
    signal.close();
  }
}

async function* turns({ config, request, options, asked }: TurnTools): Nested<AgentEvent, RunResult> {
  const { run } = options;
  const { past } = run.journal;
  let messages = past.messages;
  let reply = past.turns > 0 ? lastReply(messages) : undefined; // an interrupted run goes on where its last reply left it
  let given = past.turns > 0 ? directIn(messages, config) : undefined; // or it has its answer, and was only not ended
  let waiting = withoutRecorded(config.input, options);

  for (let turn = past.turns + (reply || given !== undefined ? 0 : 1); turn <= config.options.maxTurns; turn++) {
    if (run.signal.aborted) return { subtype: 'aborted', messages };
    let ended: TurnEnd = { messages, atRest: false, ...(given === undefined ? {} : { direct: given }) };
    if (given === undefined) {
      yield { type: 'turn_start', turn, sessionId: run.sessionId, messageId: run.messageId };
      try {
        const one = inner(oneTurn({ messages, reply, waiting, turn }, { config, request, options, asked }));
        yield one;
        ended = one.result;
      } catch (error) {
        yield { type: 'turn_end', turn }; // every turn that was started is ended, also one that fails
        throw error;
      }
      yield { type: 'turn_end', turn };
    }
    given = undefined;
    messages = ended.messages;
    if (ended.waits) return { subtype: run.signal.aborted ? 'aborted' : 'waiting', messages };
    const { direct } = ended;
    if (!reply) waiting = [];
    reply = undefined;
    if (!ended.atRest && direct === undefined) continue;
    const end = yield* endOfRun({ messages, waiting, direct }, options);
    if ('subtype' in end) return end;
    waiting = end;
  }
  return { subtype: run.signal.aborted ? 'aborted' : 'max_turns', messages };
}

interface TurnStart {
  readonly messages: readonly Message[];
  /** The reply of an interrupted attempt, whose calls are still unsettled. */
  readonly reply: AssistantMessage | undefined;
  readonly waiting: readonly UserMessage[];
  readonly turn: number;
}
interface TurnEnd {
  readonly messages: readonly Message[];
  /** The model has no more calls. */
  readonly atRest: boolean;
  /** The output of the call that ends the run. */
  readonly direct?: string;
  /** Calls wait for an answer. */
  readonly waits?: boolean;
}
interface TurnTools {
  readonly config: AgentConfig;
  readonly request: (messages: readonly Message[], asked: ModelOptions | undefined) => ModelRequest;
  readonly options: RunOptions;
  readonly asked: AskedOptions;
}

async function* oneTurn(start: TurnStart, { config, request, options, asked }: TurnTools): Nested<AgentEvent, TurnEnd> {
  const { pipeline, run, inbox } = options;
  let { messages, reply } = start;
  let recorded = Promise.resolve();
  let told: readonly AgentEvent[] = [];
  for (const event of run.takeEmitted()) yield event;
  if (!reply) {
    const arrived = await inbox.take();
    if (start.waiting.length + arrived.length > 0)
      messages = yield* admit([...start.waiting, ...arrived], messages, { options, asked });
    const modelOptions = asked.next(messages);
    messages = await pipeline.beforeModel(messages, run);
    for (const event of run.takeEmitted()) yield event;
    const startedAt = performance.now();
    const replyId = options.isFollowed?.() ? crypto.randomUUID() : undefined;
    if (replyId !== undefined) yield { type: 'reply_started', id: replyId };
    const plain = request(messages, modelOptions);
    const followed = replyId === undefined ? plain : { ...plain, replyId, tellsToolInput: true };
    const spoken = inner(modelTurn(followed, options));
    yield spoken;
    if (!spoken.result) return { messages, atRest: false };
    const durationMs = Math.round(performance.now() - startedAt);
    const own = frozen(withCost(withOwnCallIds(withId(spoken.result, replyId), run), options));
    try {
      messages = await pipeline.afterModel([...messages, own], run);
      const left = replyIn(messages, own);
      reply = left === own ? own : frozen(left); // a handler may have rewritten it
    } catch (error) {
      yield* noteUnrecorded(own, run);
      throw error;
    }
    recorded = run.journal.write({ type: 'message', message: reply });
    asked.replied();
    told = [
      ...run.takeEmitted(),
      { type: 'message', message: reply },
      ...picturesOf(reply),
      usageOf(reply, { durationMs, turns: start.turn }),
    ];
  }
  const uses = toolUsesOf(reply);
  if (uses.length === 0) {
    await recorded;
    for (const event of told) yield event;
    return { messages, atRest: reply.stopReason !== 'interrupted' };
  }
  // The reply and the start of its first call become durable together, unless somebody is asked about the call first.
  const calls = flattened(runBatches(uses, { config, reply, options }));
  const answers = inner(onceDurable(recorded, { before: told, stream: calls, pausesAt }));
  yield answers;
  for (const event of run.takeEmitted()) yield event;
  if (!answers.result) return { messages, atRest: false, waits: true };
  messages = [...messages, toolMessage(reply, answers.result)];
  const direct = directIn(messages, config);
  return { messages, atRest: false, ...(direct === undefined ? {} : { direct }) };
}

function picturesOf({ content }: AssistantMessage): readonly AgentEvent[] {
  let pictures: readonly AgentEvent[] = [];
  for (const block of content) {
    if (block.type !== 'image') continue;
    const { type, mediaType, data } = block;
    pictures = [...pictures, { type, mediaType, data }];
  }
  return pictures;
}

function usageOf(
  reply: AssistantMessage,
  { durationMs, turns }: { readonly durationMs: number; readonly turns: number },
): AgentEvent {
  const { model, stopReason, cost } = reply;
  const usage = { ...reply.usage };
  const event = { type: 'usage', usage, model, stopReason, durationMs, turns } as const;
  return cost === undefined ? event : { ...event, cost };
}

/** True when a tool, hooks or a person act next: not before the reader has the call, and the reply is durable. */
function pausesAt(event: AgentEvent): boolean {
  const { type } = event;
  return type === 'tool_started' || type === 'hook_started' || (type === 'permission' && event.decision === 'ask');
}

/** Notes a paid reply that will not be logged. */
async function* noteUnrecorded({ provider, model, usage }: AssistantMessage, { journal }: RunContext) {
  await journal.write({ type: 'note', name: 'usage', data: { provider, model, usage, purpose: 'cut_off' } });
  yield { type: 'usage' as const, usage: { ...usage } };
}

/** A copy that handlers may change; tools and messages are shared and never edited, so messages are frozen. */
function cloneConfig(config: AgentConfig, coming: readonly Tool[] = []): AgentConfig {
  return {
    instruction: config.instruction,
    // Not two spreads in one list: they cost thousands of tools another object each.
    tools: config.tools.map((meta) => ({ ...meta })).concat(coming.map((tool) => ({ tool, returnDirectly: false }))),
    input: config.input.map((message) => frozen(message)),
    options: { ...config.options },
  };
}

/** Removes tools outside of the run's limits, which handlers may have added. */
function inside(config: AgentConfig, { outside }: RunOptions): AgentConfig {
  return outside ? { ...config, tools: config.tools.filter(({ tool }) => outside(tool.name) === undefined) } : config;
}

function lastReply(messages: readonly Message[]): AssistantMessage | undefined {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? last : undefined;
}

/** The reply under the id that was told when it began; a model of the host may have given it another one. */
function withId(reply: AssistantMessage, id: string | undefined): AssistantMessage {
  return id === undefined || reply.id === id ? reply : { ...reply, id };
}

function withCost(reply: AssistantMessage, { costOf }: RunOptions): AssistantMessage {
  if (!costOf || reply.cost !== undefined) return reply;
  const cost = costOf(reply);
  return cost === undefined ? reply : { ...reply, cost };
}

/** Replaces repeated call ids: some services number calls from zero in every reply, but keys and results depend on the id. */
function withOwnCallIds(message: AssistantMessage, { journal }: RunContext): AssistantMessage {
  let changed = false;
  const content = message.content.map((block) => {
    if (block.type !== 'tool_use') return block;
    const id = journal.claimCallId(block.id);
    changed ||= id !== block.id;
    return id === block.id ? block : { ...block, id };
  });
  return changed ? { ...message, content } : message;
}

function replyIn(messages: readonly Message[], own: AssistantMessage): AssistantMessage {
  const last = messages.at(-1);
  const fault = last === own ? undefined : faultOfReply(last as Partial<AssistantMessage> | undefined); // safe: its role is checked
  if (last?.role === 'assistant' && fault === undefined) return last;
  const duty = `leave the reply ${own.id} (or another one) at the end: ${fault}`;
  throw new AgentError(`afterModelRewriteHistory must ${duty}`, { code: 'HANDLER_ERROR' });
}

/** The output that ends the run: of the first call of the last reply whose tool returns directly, unless it is an error. */
function directIn(messages: readonly Message[], { tools }: AgentConfig): string | undefined {
  if (!tools.some(({ returnDirectly }) => returnDirectly)) return undefined;
  const [reply, answers] = messages.slice(-2);
  if (reply?.role !== 'assistant' || answers?.role !== 'tool') return undefined;
  const direct = new Set(tools.flatMap(({ tool, returnDirectly }) => (returnDirectly ? [tool.name] : [])));
  const deciding = toolUsesOf(reply).find(({ name }) => direct.has(name));
  const answer = answers.content.find(({ toolUseId }) => toolUseId === deciding?.id);
  return answer?.isError ? undefined : answer?.output;
}
