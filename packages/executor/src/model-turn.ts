import {
  AgentError,
  type AgentEvent,
  type AssistantMessage,
  type Model,
  type ModelRequest,
  type ModelStream,
  type RunContext,
  type TokenUsage,
} from '@x/core';
import { admitRequest, askedModel, faultOfReply } from '@x/core/internal';
import { inner, type Nested, watchStream } from '@x/core/streams';
import { noteModelError } from './run-facts.ts';
import type { RunOptions } from './run-options.ts';
import { untilAborted } from './until-aborted.ts';

/** The pending call of the model, or an answered one whose reply handlers still hold. */
interface OpenCall {
  request?: ModelRequest;
  reply?: AssistantMessage;
  /** Characters emitted before this request. */
  shown: number;
}
interface Asking {
  readonly open: OpenCall;
  readonly run: RunContext;
  /** Called when the pending call is over and its output is discarded. */
  readonly lost: (request: ModelRequest) => void;
  /** Characters of text and thoughts of all calls so far. */
  readonly shown: () => number;
  /** The model that answers unless the request names another. */
  readonly model: Model;
  readonly signal: AbortSignal;
}

/**
 * Makes one model call. Ended early by an abort or an urgent message it returns the text already emitted as a reply with `stopReason`
 * `interrupted`; without any text it notes the estimated usage of the call, and returns undefined. Any other error passes. A call whose
 * reply nobody keeps (cut off in the middle, dropped by a handler) is paid anyway, and noted.
 */
export async function* modelTurn(
  request: ModelRequest,
  { pipeline, model, run }: RunOptions,
): Nested<AgentEvent, AssistantMessage | undefined> {
  const { signal } = request;
  const open: OpenCall = { shown: 0 };
  const notes = new UsageNotes(run);
  let said = '';
  let thought = '';
  const shown = () => said.length + thought.length;
  const lost = (asked: ModelRequest) => notes.add(lostCall({ ...open, request: asked }, model, shown()));
  const ask = (changed: ModelRequest) => {
    const start = () => {
      const asked = changed.model ?? model;
      admitRequest(asked, changed); // handlers may have changed both
      return asked.stream(changed);
    };
    return askModel(changed, start, { open, run, signal, model, lost, shown });
  };
  const onEvent = (event: AgentEvent) => {
    if (event.type === 'content') said += event.delta;
    else if (event.type === 'thinking') thought += event.delta;
  };
  const answer = inner(untilAborted(pipeline.callModel(request, ask, run), signal, onEvent));
  try {
    yield answer;
    const reply = spokenReply(answer.result, model);
    if (reply !== open.reply) checkWrapped(reply);
    if (!notes.isEmpty) yield* notes.told(); // a generator costs more than the question
    return reply;
  } catch (error) {
    if (signal.aborted && said !== '') {
      yield* notes.told();
      return interruptedReply(said, lostCall({ request, ...open }, model, shown()));
    }
    if (open.request) lost(open.request);
    yield* notes.told();
    if (signal.aborted) return undefined;
    throw error;
  }
}

/** The usage of calls whose replies are not logged. */
class UsageNotes {
  readonly #run: RunContext;
  readonly #used: { readonly usage: TokenUsage; readonly model: string }[] = [];
  readonly #writes: Promise<void>[] = [];

  constructor(run: RunContext) {
    this.#run = run;
  }

  get isEmpty(): boolean {
    return this.#used.length === 0;
  }

  add({ provider, model, usage }: Pick<AssistantMessage, 'provider' | 'model' | 'usage'>): void {
    const data = { provider, model, usage, purpose: 'cut_off' };
    const written = this.#write(data);
    written.catch(() => undefined); // `told` rejects with it
    this.#writes.push(written);
    this.#used.push({ usage, model });
  }

  #write(data: unknown): Promise<void> {
    return this.#run.journal.write({ type: 'note', name: 'usage', data });
  }

  /** Yields an event for each note, once all are durable. */
  async *told(): AsyncGenerator<AgentEvent, void, void> {
    await Promise.all(this.#writes);
    for (const used of this.#used) yield { type: 'usage', ...used };
  }
}

function lostCall(open: OpenCall & { request: ModelRequest }, model: Model, shown: number) {
  const usage = open.reply?.usage ?? estimatedUsage(open.request, shown - open.shown);
  return { ...whoAnswered(open, model), usage };
}

/** A model that forgets its reply must not pass for one that was interrupted: the loop would ask it until its turns are used up. */
function spokenReply(reply: AssistantMessage | undefined, { provider, name }: Model): AssistantMessage {
  if (reply) return reply;
  throw new AgentError(`${provider} ${name} ended its stream without a reply; return the finished message`, {
    code: 'MODEL_ERROR',
    statusCode: 502,
  });
}

/** A reply that is not the model's own is one of a wrap. */
function checkWrapped(reply: AssistantMessage): void {
  const fault = faultOfReply(reply);
  if (fault !== undefined)
    throw new AgentError(`wrapModelCall of a handler must return a whole reply: ${fault}`, { code: 'HANDLER_ERROR' });
}

function checkedStart(stream: ModelStream, { provider, name }: Model): ModelStream {
  if (typeof stream?.next === 'function') return stream;
  Promise.resolve(stream).catch(() => undefined);
  const message = `stream of model ${provider} ${name} must be a generator: async *stream(request)`;
  throw new AgentError(message, { code: 'MODEL_ERROR', statusCode: 502, retryable: false });
}

function whoAnswered({ request, reply }: OpenCall, model: Model): Pick<AssistantMessage, 'provider' | 'model'> {
  if (reply) return { provider: reply.provider, model: reply.model };
  const { provider, name } = (request && askedModel(request)) ?? request?.model ?? model;
  return { provider, model: name };
}

/** The model's stream; `open` knows its request from the first step until it fails by itself. */
function askModel(request: ModelRequest, start: () => ModelStream, asking: Asking): ModelStream {
  const { open, run, signal, model, lost, shown } = asking;
  const started = () => {
    if (open.request && open.reply) lost(open.request);
    open.request = request;
    open.shown = shown();
    delete open.reply;
  };
  const ended = (reply: AssistantMessage) => {
    open.reply = reply;
  };
  const failed = (error: unknown) => {
    noteModelError(run, error);
    if (signal.aborted) return;
    if (shown() > open.shown) lost(request);
    delete open.request;
  };
  try {
    return watchStream(checkedStart(start(), request.model ?? model), { started, ended, failed });
  } catch (error) {
    failed(error);
    throw error;
  }
}

function interruptedReply(
  text: string,
  facts: Pick<AssistantMessage, 'provider' | 'model' | 'usage'>,
): AssistantMessage {
  return {
    id: crypto.randomUUID(),
    createdAt: new Date().toISOString(),
    role: 'assistant',
    content: [{ type: 'text', text }],
    ...facts,
    stopReason: 'interrupted',
  };
}

function estimatedUsage({ messages, instruction }: ModelRequest, shown: number): TokenUsage {
  const inputTokens = estimate(JSON.stringify(messages).length + instruction.length);
  const outputTokens = estimate(shown);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
}

/** About four characters per token. */
function estimate(characters: number): number {
  return Math.ceil(characters / 4);
}
