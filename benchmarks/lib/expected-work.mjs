import { answerOf, CLOSING_WORDS, PAYLOAD, parseModel } from '../server/script.mjs';

/**
 * What a driver must do for a model of this name, known from the name alone.
 * @param {string} model
 * @returns {{ calls: number, text: string }}
 */
export function expectedWork(model) {
  const script = parseModel(model);
  if (!script) throw new Error(`${model} is not a model of the scripted server`);
  if (script.kind === 'text') return { calls: 0, text: answerOf(script, 0).words.join('') };
  return { calls: script.count, text: CLOSING_WORDS.join('') };
}

/** How many turns with calls there are: Gemini signs each of them once. */
export function expectedToolTurns(model) {
  const { calls } = expectedWork(model);
  return parseModel(model).kind === 'parallel' ? Math.min(calls, 1) : calls;
}

/**
 * @param {string} model
 * @param {{ calls?: number, characters: number }} done
 * @throws when text was lost or repeated, or the number of tool calls is wrong; `calls` is left out where sessions run side by side
 */
export function assertWork(model, { calls, characters }) {
  const expected = expectedWork(model);
  if (calls !== undefined && calls !== expected.calls) {
    throw new Error(`${model}: ${calls} tool calls instead of ${expected.calls}`);
  }
  if (characters !== expected.text.length) {
    throw new Error(`${model}: ${characters} characters of text instead of ${expected.text.length}`);
  }
}

/** @throws when a tool was called with something else than what the model asked for */
export function assertArgument(text) {
  if (text !== PAYLOAD) throw new Error(`the tool was called with ${JSON.stringify(text)?.slice(0, 60)}`);
}
