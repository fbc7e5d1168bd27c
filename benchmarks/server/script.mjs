/**
 * What the scripted model says. The model's name is the whole script:
 *   text-N      N text deltas
 *   tools-K     K turns with one tool call each, then a short closing text
 *   parallel-P  one turn with P tool calls, then a short closing text
 */

/** The argument of every tool call: about 200 bytes, so that one turn adds about 0.75 kB to the next request. */
export const PAYLOAD = 'The quick brown fox jumps over the lazy dog; pack my box with five dozen liquor jugs. '
  .repeat(3)
  .slice(0, 200);

const ARGUMENTS = JSON.stringify({ text: PAYLOAD });

/** The arguments as they arrive: in four pieces, cut at places that are no boundary of anything. */
export const ARGUMENT_PIECES = [
  ARGUMENTS.slice(0, 40),
  ARGUMENTS.slice(40, 90),
  ARGUMENTS.slice(90, 150),
  ARGUMENTS.slice(150),
];

export const CLOSING_WORDS = ['All', ' done', ':', ' every', ' call', ' was', ' made', '.'];

/** @typedef {{ kind: 'text' | 'tools' | 'parallel', count: number }} Script */

/**
 * @param {string | undefined} model
 * @returns {Script | undefined} nothing when the name is not one of ours
 */
export function parseModel(model) {
  const match = /^(text|tools|parallel)-(\d+)$/.exec(model ?? '');
  return match ? { kind: /** @type {Script['kind']} */ (match[1]), count: Number(match[2]) } : undefined;
}

/**
 * The answer to the request of one turn (from 0): text, or a number of tool calls.
 * @param {Script} script
 * @param {number} turn
 * @returns {{ words: string[] } | { calls: number }}
 */
export function answerOf({ kind, count }, turn) {
  if (kind === 'text') return { words: Array.from({ length: count }, (_, index) => word(index)) };
  const toolTurns = kind === 'tools' ? count : 1;
  if (turn >= toolTurns) return { words: CLOSING_WORDS };
  return { calls: kind === 'tools' ? 1 : count };
}

/** The id of a call carries its turn, so that the server can read it back from the next request and keep no state. */
export function callId(turn, index) {
  return `${CALL_ID_PREFIX}${turn}_${index}`;
}

export const CALL_ID_PREFIX = 'call_t';

function word(index) {
  return ` w${String(index % 1000).padStart(3, '0')}`;
}
