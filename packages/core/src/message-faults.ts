import type { AssistantMessage, UserMessage } from './message.ts';

const STOPS: readonly unknown[] = ['end', 'tool_use', 'length', 'refusal', 'interrupted'];

/** The first thing that is wrong with a reply of somebody else's code, in words; undefined for a whole one. A log keeps no other. */
export function faultOfReply(reply: Partial<AssistantMessage> | null | undefined): string | undefined {
  if (typeof reply !== 'object' || reply === null) return 'it returned none';
  if (reply.role !== 'assistant') return "its role is 'assistant'";
  for (const field of ['id', 'createdAt', 'provider', 'model'] as const)
    if (typeof reply[field] !== 'string') return `it lacks ${field}, a text`;
  for (const field of ['inputTokens', 'outputTokens', 'totalTokens'] as const)
    if (!Number.isFinite(reply.usage?.[field])) return `it lacks usage.${field}, a number`;
  if (reply.cost !== undefined && !(Number.isFinite(reply.cost) && reply.cost >= 0))
    return 'its cost is a number from 0, or absent';
  if (!STOPS.includes(reply.stopReason)) return `its stopReason is one of ${STOPS.join(', ')}`;
  if (!Array.isArray(reply.content)) return 'its content is a list of blocks';
  return reply.content.map(faultOfBlock).find((fault) => fault !== undefined);
}

function faultOfBlock(block: unknown, index: number): string | undefined {
  const { type, text, id, name } = (block ?? {}) as Readonly<Record<string, unknown>>; // safe: each is checked
  if (typeof type !== 'string') return `content[${index}] lacks type, a text`;
  if ((type === 'text' || type === 'thinking') && typeof text !== 'string')
    return `content[${index}] lacks text, a text`;
  if (type !== 'tool_use' || (typeof id === 'string' && typeof name === 'string')) return undefined;
  return `content[${index}] lacks id or name, texts`;
}

/** True for a whole message of the user; its id counts only where no other is known. */
export function isUserMessage(message: unknown, id?: string): message is UserMessage {
  const given = (message ?? {}) as Readonly<Record<keyof UserMessage, unknown>>; // safe: each is checked
  const isWhole = given.role === 'user' && typeof given.createdAt === 'string' && typeof (id ?? given.id) === 'string';
  return isWhole && Array.isArray(given.content) && given.content.every(isUserBlock);
}

function isUserBlock(block: unknown): boolean {
  const { type, text, mediaType, data, url } = (block ?? {}) as Readonly<Record<string, unknown>>; // safe: each is checked
  if (type === 'text') return typeof text === 'string';
  const isMedia = type === 'image' || type === 'file' || type === 'link';
  return isMedia && typeof mediaType === 'string' && typeof (type === 'link' ? url : data) === 'string';
}
