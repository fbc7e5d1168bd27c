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
import { type Delegating, delegate } from '@x/core/delegation';
import { noteModelError } from './run-facts.ts';
import type { RunOptions } from './run-options.ts';
import { untilAborted } from './until-aborted.ts';
import { watchStream } from './watch-stream.ts';

/** What the model has been asked and has not answered, or has answered to handlers that still hold the reply. */
interface OpenCall {
  request?: ModelRequest;
  reply?: AssistantMessage;
}
interface Asking {
  readonly open: OpenCall;
  readonly run: RunContext;
  /** The one that answers unless the request names another. */
  readonly model: Model;
  readonly signal: AbortSignal;
}

/**
 * One model call. Ended early by an abort or an urgent message it returns the text already shown as a reply with `stopReason`
 * `interrupted`; when nothing was said it notes what the call is thought to have used, and returns undefined. Any other error
 * goes on.
 */
export async function* modelTurn(
  request: ModelRequest,
  { pipeline, model, run }: RunOptions,
): Delegating<AgentEvent, AssistantMessage | undefined> {
  const { signal } = request;
  const open: OpenCall = {};
  const ask = (changed: ModelRequest) => {
    const start = () => (changed.model ?? model).stream(changed);
    return asked(changed, start, { open, run, signal, model });
  };
  let said = '';
  let thought = '';
  const onEvent = (event: AgentEvent) => {
    if (event.type === 'content') said += event.delta;
    else if (event.type === 'thinking') thought += event.delta;
  };
  const answer = delegate(untilAborted(pipeline.callModel(request, ask, run), signal, onEvent));
  try {
    yield answer;
    return spoken(answer.result, model);
  } catch (error) {
    if (!signal.aborted) throw error;
    const usage = open.reply?.usage ?? estimatedUsage(open.request ?? request, `${said}${thought}`);
    const by = whoAnswered(open, model);
    if (said !== '') return interruptedReply(said, { ...by, usage });
    if (!open.request) return undefined;
    const data = { ...by, usage, purpose: 'cut_off' };
    await run.journal.write({ type: 'note', name: 'usage', data });
    yield { type: 'usage', usage };
    return undefined;
  }
}

/** A model that forgets its reply must not pass for one that was interrupted: the loop would ask it until its turns are used up. */
function spoken(reply: AssistantMessage | undefined, { provider, name }: Model): AssistantMessage {
  if (reply) return reply;
  throw new AgentError(`${provider} ${name} ended its stream without a reply; return the finished message`, {
    code: 'MODEL_ERROR',
    statusCode: 502,
  });
}

function checkedStart(stream: ModelStream, { provider, name }: Model): ModelStream {
  if (typeof stream?.next === 'function') return stream;
  Promise.resolve(stream).catch(() => undefined);
  const message = `stream of model ${provider} ${name} must be a generator: async *stream(request)`;
  throw new AgentError(message, { code: 'MODEL_ERROR', statusCode: 502, retryable: false });
}

function whoAnswered({ request, reply }: OpenCall, model: Model): Pick<AssistantMessage, 'provider' | 'model'> {
  if (reply) return { provider: reply.provider, model: reply.model };
  const { provider, name } = request?.model ?? model;
  return { provider, model: name };
}

/** The model's stream; `open` knows its request from the first step until it fails by itself. */
function asked(request: ModelRequest, start: () => ModelStream, { open, run, signal, model }: Asking): ModelStream {
  const started = () => {
    open.request = request;
    delete open.reply;
  };
  const ended = (reply: AssistantMessage) => {
    open.reply = reply;
  };
  const failed = (error: unknown) => {
    noteModelError(run, error);
    if (!signal.aborted) delete open.request;
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

function estimatedUsage({ messages, instruction }: ModelRequest, output: string): TokenUsage {
  const inputTokens = estimate(JSON.stringify(messages).length + instruction.length);
  const outputTokens = estimate(output.length);
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, estimated: true };
}

/** About four characters a token. */
function estimate(characters: number): number {
  return Math.ceil(characters / 4);
}
