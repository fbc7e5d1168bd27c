import type { AssistantMessage, Message, ModelRequest } from '@x/core';

/** The name of steps of a service's search among deferred tools. */
export const TOOL_SEARCH_STEP = 'tool_search';

type Block = AssistantMessage['content'][number];

function isSearch(block: Block): boolean {
  return block.type === 'thinking' && block.serviceTool?.name === TOOL_SEARCH_STEP;
}

/** The names that searches in a message have found; undefined for a message without one. */
export function foundIn(message: Message): readonly string[] | undefined {
  if (message.role !== 'assistant' || !message.content.some(isSearch)) return undefined;
  return message.content.flatMap((block) => (block.type === 'thinking' ? (block.serviceTool?.found ?? []) : []));
}

/** The message without steps of searches. */
export function withoutSearches(message: Message): Message {
  if (!foundIn(message)) return message;
  const { content, ...rest } = message as AssistantMessage; // safe: only these have searches
  return { ...rest, content: content.filter((block) => !isSearch(block)) };
}

/**
 * True when a request may repeat searches that have found these tools: a service refuses one that is about a tool it is not given, as after
 * a server has left, or in a session that was resumed without its search.
 */
export function mayRepeatSearches({ tools, deferredTools }: ModelRequest, found: ReadonlySet<string>): boolean {
  if (!deferredTools) return false;
  const offered = new Set([...tools, ...deferredTools].map(({ name }) => name));
  return [...found].every((name) => offered.has(name));
}
