import { frozen } from './frozen.ts';
import type { ModelOptions } from './model-options.ts';
import { present } from './present.ts';

/** Opaque to all but the adapter of `provider`, which must get it back unchanged (signatures, item ids). */
export interface ProviderData {
  readonly provider: string;
  readonly data: unknown;
}
/** Text for the model, or from it. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  /** Pages that the model names for its text, after a search by the service. */
  readonly sources?: readonly { readonly url: string; readonly title?: string }[];
  readonly providerData?: ProviderData;
}
/** A call or a result of a tool that the service has run itself, as far as it shows it. */
export interface ServiceToolStep {
  /** In the words of the service, such as `web_search`. */
  readonly name: string;
  /** Call and result have the same. */
  readonly id?: string;
  /** `called`: its result is a step of its own. */
  readonly state: 'called' | 'done' | 'failed';
  readonly input?: unknown;
  /** Of a search among tools: the names of those it has found. */
  readonly found?: readonly string[];
  /** Files that code has written on a machine of the service, which keeps them for some time; `readServiceFile` reads them. */
  readonly files?: readonly { readonly id: string; readonly name?: string }[];
}
/** The model's thinking; sent back to its own provider only. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly text: string;
  /** The block is no thought but a step of a tool of the service, and has no text. */
  readonly serviceTool?: ServiceToolStep;
  readonly providerData?: ProviderData;
}
/** A picture. */
export interface ImageBlock {
  readonly type: 'image';
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  /** Of a picture in a reply. */
  readonly providerData?: ProviderData;
}
/** A file: a PDF, a text or a sound. */
export interface FileBlock {
  readonly type: 'file';
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
  readonly name?: string;
}
/** A picture or a file by its http(s) address, which the service of the model fetches. */
export interface LinkBlock {
  readonly type: 'link';
  readonly url: string;
  /** `image/*` for a picture of any kind. */
  readonly mediaType: string;
  readonly name?: string;
}
/** A part of a message that is not text. */
export type MediaBlock = ImageBlock | FileBlock | LinkBlock;
/** The model's request for a tool. */
export interface ToolUseBlock {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly providerData?: ProviderData;
}
/** The answer to one request for a tool. */
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly toolUseId: string;
  readonly name: string;
  readonly output: string;
  readonly isError: boolean;
  readonly images?: readonly ImageBlock[];
  /** PDFs and other files. A model that cannot read one is told so in its place. */
  readonly files?: readonly FileBlock[];
}

/** `inputTokens` counts cached tokens too; `totalTokens` is input plus output. */
export interface TokenUsage {
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  /** Part of `outputTokens`. */
  reasoningTokens?: number;
  /** Finished calls of tools of the service, by the name in their steps. */
  serviceToolUses?: Readonly<Record<string, number>>;
  /** The service reported nothing: the call was cut off. */
  estimated?: true;
}

/** One limit of a service, as of one answer; a field is absent where it says nothing. */
export interface RateLimit {
  /** Most in its window of time. */
  readonly limit?: number;
  /** Left of it. */
  readonly remaining?: number;
  /** ISO 8601: all of it is there again. */
  readonly resetAt?: string;
}
/** Limits of a service for the key that has asked, each absent where it says nothing of it. */
export interface RateLimits {
  readonly requests?: RateLimit;
  readonly tokens?: RateLimit;
  readonly inputTokens?: RateLimit;
  readonly outputTokens?: RateLimit;
}

/** A token of a reply, and the logarithm of its probability. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  /** The likeliest tokens in its place, as many as were asked for; the first is the likeliest. */
  readonly top?: readonly { readonly token: string; readonly logprob: number }[];
}

interface MessageBase {
  readonly id: string;
  /** ISO 8601. */
  readonly createdAt: string;
}
/** A message from a person, or from the host. */
export interface UserMessage extends MessageBase {
  readonly role: 'user';
  readonly content: readonly (TextBlock | MediaBlock)[];
  /** In force from this message on until its run ends; over those of the session. */
  readonly modelOptions?: ModelOptions;
}
/** One reply of a model. */
export interface AssistantMessage extends MessageBase {
  readonly role: 'assistant';
  /** A picture is one that the model has made, or a tool of its service. */
  readonly content: readonly (TextBlock | ThinkingBlock | ToolUseBlock | ImageBlock)[];
  readonly provider: string;
  readonly model: string;
  readonly usage: Readonly<TokenUsage>;
  /** US dollars, by the prices that held when it was made; absent when the price of the model is not known. */
  readonly cost?: number;
  /** `interrupted`: cut off by a message with priority `now`; contains the text that the reader has seen. */
  readonly stopReason: 'end' | 'tool_use' | 'length' | 'refusal' | 'interrupted';
  /**
   * Of a request with the option `logprobs`: the tokens of its text, from the first on, at most 20,000 with those in `top`. Sent back to no
   * service.
   */
  readonly logprobs?: readonly TokenLogprob[];
  /** Facts in the words of the service, each absent where it gives none. For logs and its support: nothing is decided by them. */
  readonly response?: {
    readonly id?: string;
    /** The model that has answered, mostly a dated version of `model`. */
    readonly model?: string;
    /** Its own word for `stopReason`. */
    readonly stopReason?: string;
    /** The tier that has served it, which may be another than the one asked for. */
    readonly serviceTier?: string;
    /** Of the HTTP answer. */
    readonly requestId?: string;
    /** From its headers: what the key has left, as of when the answer began. */
    readonly limits?: RateLimits;
  };
}
/** The answers to one reply, in the order of its calls. Computed, never recorded. */
export interface ToolMessage extends MessageBase {
  readonly role: 'tool';
  readonly content: readonly ToolResultBlock[];
}
/** One message of a conversation. Frozen at every depth once it is part of a run or a session: return a changed copy instead. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** A user message of plain text or of blocks, with a fresh id. */
export function userMessage(content: string | UserMessage['content']): UserMessage {
  return {
    id: crypto.randomUUID(),
    createdAt: new Date().toISOString(),
    role: 'user',
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  };
}

/** The text blocks of a message, joined. */
export function textOf(message: UserMessage | AssistantMessage): string {
  let text = '';
  for (const block of message.content) if (block.type === 'text') text += block.text;
  return text;
}

/** The calls of a reply, in its order. */
export function toolUsesOf(message: AssistantMessage): ToolUseBlock[] {
  let uses: ToolUseBlock[] | undefined;
  // filter() is slow on frozen lists, and a growing list reserves room for many items.
  for (const block of message.content) {
    if (block.type !== 'tool_use') continue;
    if (uses) uses.push(block);
    else uses = [block];
  }
  return uses ?? [];
}

/** The answer to one call for the model: `ToolResult` without the fields for this process only. */
type AnsweredCall = Pick<ToolResultBlock, 'output' | 'isError' | 'images' | 'files'>;

/**
 * The answers to a reply, in the order of its calls. The id is derived from the reply's as a UUID of version 8 (RFC 9562 5.8), so it is
 * always the same.
 */
export function toolMessage(reply: AssistantMessage, answers: readonly AnsweredCall[]): ToolMessage {
  const content = toolUsesOf(reply).map((use, index): ToolResultBlock => {
    const { output, isError, images, files } = answers[index]!;
    const media = present({ images, files });
    return { type: 'tool_result', toolUseId: use.id, name: use.name, output, isError, ...media };
  });
  const id = `${reply.id.slice(0, 14)}8${reply.id.slice(15)}`;
  return frozen({ id, createdAt: reply.createdAt, role: 'tool', content });
}

/** No tokens at all. */
export function noUsage(): TokenUsage {
  return { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
}

/** The sum of two usages; an optional count is absent when both lack it. */
export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  const sum: TokenUsage = {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    totalTokens: one.totalTokens + other.totalTokens,
  };
  for (const key of ['cacheReadTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
    if (one[key] !== undefined || other[key] !== undefined) sum[key] = (one[key] ?? 0) + (other[key] ?? 0);
  }
  const { serviceToolUses: uses } = one;
  const { serviceToolUses: more } = other;
  if (uses || more) sum.serviceToolUses = uses && more ? addCounts(uses, more) : (uses ?? more!); // one of them is there
  if (one.estimated || other.estimated) sum.estimated = true;
  return sum;
}

function addCounts(
  one: Readonly<Record<string, number>>,
  other: Readonly<Record<string, number>>,
): Record<string, number> {
  const sum = { ...one };
  for (const [name, count] of Object.entries(other)) sum[name] = (sum[name] ?? 0) + count;
  return sum;
}
