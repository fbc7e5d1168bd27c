import type { AssistantMessage, Message, Tool, ToolResultBlock } from '@x/core';
import { bytesOfBase64, isPicture, type MediaBlock, resultMedia } from '@x/core/internal';

/** Approximately the services' count for a picture of the usual size. */
const IMAGE_TOKENS = 1_500;
/** A PDF or a sound: approximately, because only the service counts its pages or seconds. */
const BYTES_PER_TOKEN = 50;
/** A file that nobody has seen here; some pages. */
const LINKED_FILE_TOKENS = 10_000;
/** Role and separators. */
const MESSAGE_TOKENS = 4;
/** From here on (CJK, kana, hangul, emoji) one character is about a token; before, four are. */
const DENSE = 0x2e80;

/** Messages never change, and a long history is estimated again at each turn. */
const known = new WeakMap<Message, number>();

/** Estimates the tokens of a text. */
export function estimateText(text: string): number {
  let dense = 0;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= DENSE) dense++;
  return Math.ceil(dense + (text.length - dense) / 4);
}

/** Schemas are shared by sessions, and each run begins by estimating its tools. */
const knownSchemas = new WeakMap<object, number>();

/** Estimates the tokens of a tool's definition. */
export function estimateTool({ name, description, inputSchema: { json } }: Tool): number {
  let tokens = knownSchemas.get(json);
  if (tokens === undefined) knownSchemas.set(json, (tokens = estimateText(JSON.stringify(json))));
  return tokens + estimateText(name + description);
}

/** Estimates the tokens of messages; thoughts are left out, as they rarely go back to the model. */
export function estimateTokens(messages: readonly Message[]): number {
  let sum = 0;
  for (const message of messages) {
    let tokens = known.get(message);
    if (tokens === undefined) known.set(message, (tokens = estimateMessage(message)));
    sum += tokens;
  }
  return sum;
}

/** Tokens of a request: those that its service has counted, and an estimate of the others. */
export interface ContextSize {
  readonly counted: number;
  readonly estimated: number;
}

/**
 * Estimates the tokens of a request with these messages: the service's count for the last counted reply, and an estimate of everything
 * after it. Without such a reply everything is estimated, and `overhead` returns the tokens of instruction and tools.
 */
export function contextSize(messages: readonly Message[], overhead: () => number = () => 0): ContextSize {
  const index = messages.findLastIndex(isCounted);
  const reply = messages[index];
  if (reply?.role !== 'assistant' || isOfAnotherHistory(reply, messages)) {
    return { counted: 0, estimated: overhead() + estimateTokens(messages) };
  }
  const counted = reply.usage.inputTokens + reply.usage.outputTokens;
  return { counted, estimated: estimateTokens(messages.slice(index + 1)) };
}

/** The sum of `contextSize`. */
export function contextTokens(messages: readonly Message[], overhead?: () => number): number {
  const { counted, estimated } = contextSize(messages, overhead);
  return counted + estimated;
}

function isCounted(message: Message): boolean {
  return message.role === 'assistant' && !message.usage.estimated && message.usage.inputTokens > 0;
}

/** True for a reply that is older than the first message, the summary of a compaction: it was made with another history. */
function isOfAnotherHistory(reply: AssistantMessage, [first]: readonly Message[]): boolean {
  return first !== undefined && first.createdAt > reply.createdAt;
}

function estimateMessage(message: Message): number {
  let tokens = MESSAGE_TOKENS;
  for (const block of message.content) {
    if (block.type === 'text') tokens += estimateText(block.text);
    else if (block.type === 'tool_use') tokens += estimateText(block.name) + estimateText(jsonOf(block.input));
    else if (block.type === 'tool_result') tokens += estimateText(block.output) + mediaIn(block);
    else if (block.type !== 'thinking') tokens += mediaTokens(block);
  }
  return tokens;
}

function mediaTokens(block: MediaBlock): number {
  if (block.type !== 'file') return isPicture(block) ? IMAGE_TOKENS : LINKED_FILE_TOKENS;
  const bytes = bytesOfBase64(block.data);
  return block.mediaType.startsWith('text/') ? Math.ceil(bytes / 4) : IMAGE_TOKENS + Math.ceil(bytes / BYTES_PER_TOKEN);
}

function mediaIn(result: ToolResultBlock): number {
  return resultMedia(result).reduce((sum, block) => sum + mediaTokens(block), 0);
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
