import { AbortError, AgentError, checkKeys } from '@x/errors';
import { type AssistantMessage, type TokenUsage, type ToolUseBlock, toolUsesOf } from '../message.ts';
import type { Model, ModelRequest, ModelStream } from '../model.ts';

/** One reply of a scripted model. Everything is optional; an empty reply is an empty text. */
export interface ScriptedReply {
  /** Yielded delta by delta, and one text block of the message. Default: none. */
  readonly text?: string | readonly string[];
  /** Yielded before the text, and the first block of the message. Default: none. */
  readonly thinking?: string | readonly string[];
  /** The calls at the end of the message, in order. `id` defaults to `call_<turn>_<index>` (turn from 1, index from 0), `input` to `{}`. */
  readonly toolCalls?: readonly { readonly id?: string; readonly name: string; readonly input?: unknown }[];
  /** Default: `tool_use` with calls, `end` without. */
  readonly stopReason?: AssistantMessage['stopReason'];
  /** Tokens. Default: 10 in, 5 out. `totalTokens` is always their sum. */
  readonly usage?: Partial<TokenUsage>;
  /** Thrown after the text and the thinking were yielded; without them before the first delta. */
  readonly error?: unknown;
  /** Waits for the abort after the text, as with a service that never ends, and then fails with `AbortError`. Default false. */
  readonly hangs?: boolean;
}
/** The replies in order, one for each call; or a function of the request and the number of the call, from 1. */
export type Script = readonly ScriptedReply[] | ((request: ModelRequest, turn: number) => ScriptedReply);

/** A model without a service. Its `provider` is `scripted`; nothing needs to be closed. */
export interface ScriptedModel extends Model {
  /** Every request so far, in order: added when `stream` is called, before anything is yielded. */
  readonly requests: readonly ModelRequest[];
}

/** Options of a scripted model. */
export interface ScriptedModelOptions {
  /** The model's name. Default `scripted`. */
  readonly name?: string;
  /** Tokens; default 128000. */
  readonly contextWindow?: number;
  /** Options that the model takes; default: none. */
  readonly checkOptions?: NonNullable<Model['checkOptions']>;
}

/**
 * Creates a `Model` that plays back a script, one reply a call, and keeps every request. It checks the signal before each delta and before
 * it returns. `stream` itself throws AgentError `SCRIPT_ENDED` when the script has no more replies.
 */
export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  checkKeys('scriptedModel options', options, ['name', 'contextWindow', 'checkOptions']);
  const { name = 'scripted', contextWindow = 128_000 } = options;
  const requests: ModelRequest[] = [];
  return {
    provider: 'scripted',
    name,
    contextWindow,
    requests,
    ...(options.checkOptions ? { checkOptions: options.checkOptions } : {}),
    stream(request) {
      requests.push(request);
      const turn = requests.length;
      const reply = typeof script === 'function' ? script(request, turn) : script[turn - 1];
      if (!reply) throw new AgentError(`The script has no reply ${turn}`, { code: 'SCRIPT_ENDED' });
      return play(reply, { turn, name, request });
    },
  };
}

async function* play(
  reply: ScriptedReply,
  { turn, name, request }: { turn: number; name: string; request: ModelRequest },
): ModelStream {
  const { signal, tellsToolInput, replyId } = request;
  for (const delta of list(reply.thinking)) {
    if (signal.aborted) throw new AbortError();
    yield { type: 'thinking', delta };
  }
  for (const delta of list(reply.text)) {
    if (signal.aborted) throw new AbortError();
    yield { type: 'content', delta };
  }
  if (reply.hangs) await aborted(signal);
  if (signal.aborted) throw new AbortError();
  if (reply.error !== undefined) throw reply.error;
  const message = messageOf(reply, { turn, name });
  for (const { id, name: tool, input } of tellsToolInput ? toolUsesOf(message) : []) {
    yield { type: 'tool_input_start', id, name: tool };
    yield { type: 'tool_input_delta', id, delta: JSON.stringify(input) };
  }
  return replyId === undefined ? message : { ...message, id: replyId };
}

function messageOf(reply: ScriptedReply, { turn, name }: { turn: number; name: string }): AssistantMessage {
  const thinking = list(reply.thinking).join('');
  const text = list(reply.text).join('');
  const calls = (reply.toolCalls ?? []).map((call, index): ToolUseBlock => {
    return { type: 'tool_use', id: call.id ?? `call_${turn}_${index}`, name: call.name, input: call.input ?? {} };
  });
  const usage = { inputTokens: 10, outputTokens: 5, ...reply.usage };
  return {
    id: crypto.randomUUID(),
    createdAt: new Date().toISOString(),
    role: 'assistant',
    content: [
      ...(thinking === '' ? [] : [{ type: 'thinking' as const, text: thinking }]),
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls,
    ],
    provider: 'scripted',
    model: name,
    usage: { ...usage, totalTokens: usage.inputTokens + usage.outputTokens },
    stopReason: reply.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end'),
  };
}

function list(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return [];
  return typeof text === 'string' ? [text] : text;
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
