import { messageOf } from '@x/core/internal';

/** A text as JSON, or its fault. */
export type ReadJson = { readonly json: string; readonly value: unknown } | { readonly fault: string };

const FENCE = '```';

/**
 * Reads the whole text as one JSON value; white space around it and one code fence around all of it are accepted. JSON in the middle of
 * other words is ignored: it may be an example, a draft, or a quotation. An object or a list that is written twice is read once, as some
 * models of OpenAI give the same answer in two messages.
 */
export function readJson(text: string): ReadJson {
  const json = saidOnce(unfenced(text.trim()));
  if (json === '') return { fault: 'The answer is empty.' };
  try {
    return { json, value: JSON.parse(json) };
  } catch (error) {
    return { fault: `The answer is not JSON: ${messageOf(error)}` };
  }
}

function saidOnce(text: string): string {
  const middle = Math.floor(text.length / 2);
  const first = text.slice(0, middle).trimEnd();
  return /[}\]]$/.test(first) && first === text.slice(middle).trimStart() ? first : text;
}

function unfenced(text: string): string {
  const isFenced = text.startsWith(FENCE) && text.endsWith(FENCE) && text.length >= 2 * FENCE.length;
  if (!isFenced) return text;
  const inside = text.slice(FENCE.length, -FENCE.length);
  return (/^json(?![A-Za-z0-9])/i.test(inside) ? inside.slice('json'.length) : inside).trim();
}
