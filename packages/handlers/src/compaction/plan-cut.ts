import type { Message } from '@x/core';
import { checkKeys } from '@x/core/internal';
import { estimateTokens } from './estimate-tokens.ts';

/** Limits of a cut. */
export interface CutOptions {
  /** Maximum tokens of the kept end of the history. */
  readonly keepTokens: number;
  /** User messages at the end that are kept with everything after them, if that fits; default 2. */
  readonly keepTurns?: number;
  /** True for messages that are never replaced; a reply with calls and its answers are pinned together. */
  readonly pinned?: (message: Message) => boolean;
}
/** Each message of the history is in one of the lists, in its order. */
export interface CutPlan {
  /** The messages that the summary replaces. */
  readonly replaced: readonly Message[];
  /** Older messages that stay unchanged: the pinned ones, and the last user message when the cut is after it. */
  readonly pinned: readonly Message[];
  /** The end of the history, never empty. Begins with a user message or a reply, never with answers to calls. */
  readonly kept: readonly Message[];
}

/** Below this number a summary saves nothing. */
const LEAST_REPLACED = 2;

/**
 * Plans the cut of a history: before the last `keepTurns` user messages, else before fewer, else, in one long turn, between two replies. A
 * reply and the answers to its calls stay together. Undefined when fewer than two messages would be replaced.
 */
export function planCut(messages: readonly Message[], options: CutOptions): CutPlan | undefined {
  checkKeys('planCut options', options, ['keepTokens', 'keepTurns', 'pinned']);
  const { keepTurns = 2, pinned = () => false } = options;
  const users = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  const lastUser = users.at(-1) ?? -1;
  const inLastTurn = messages.flatMap(({ role }, index) => (index > lastUser && role !== 'tool' ? [index] : []));
  const places = [...users.slice(-keepTurns), ...inLastTurn];
  const tokensFrom = sums(messages);
  const cut = places.find((index) => (tokensFrom[index] ?? 0) <= options.keepTokens) ?? places.at(-1) ?? 0;
  const older = messages.slice(0, cut);
  const stays = pairwise(older, (message) => pinned(message) || message === messages[lastUser]);
  const replaced = older.filter((message) => !stays.has(message));
  if (replaced.length < LEAST_REPLACED) return undefined;
  return { replaced, pinned: older.filter((message) => stays.has(message)), kept: messages.slice(cut) };
}

/** Tokens from each index to the end. */
function sums(messages: readonly Message[]): readonly number[] {
  let sum = 0;
  return messages
    .map((message) => estimateTokens([message]))
    .reverse()
    .map((tokens) => (sum += tokens))
    .reverse();
}

/** The accepted messages, each reply together with the answers to its calls. */
function pairwise(messages: readonly Message[], accepts: (message: Message) => boolean): ReadonlySet<Message> {
  const accepted = new Set(messages.filter(accepts));
  for (const [index, message] of messages.entries()) {
    const reply = messages[index - 1];
    if (message.role !== 'tool' || reply?.role !== 'assistant') continue;
    if (accepted.has(message)) accepted.add(reply);
    else if (accepted.has(reply)) accepted.add(message);
  }
  return accepted;
}
