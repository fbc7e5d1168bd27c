import type { TextKind } from './output-items.ts';

const ANSWER: TextKind = { item: 'message', list: 'content', part: 'output_text' };
const REFUSAL: TextKind = { ...ANSWER, part: 'refusal' };
const REASONING: TextKind = { item: 'reasoning', list: 'content', part: 'reasoning_text' };
const SUMMARY: TextKind = { ...REASONING, list: 'summary', part: 'summary_text' };

/** By the name between `response.` and `.delta` or `.done`; the last two are those of earlier versions of the API. */
const KINDS = {
  output_text: ANSWER,
  refusal: REFUSAL,
  reasoning_text: REASONING,
  reasoning_summary_text: SUMMARY,
  reasoning: REASONING,
  reasoning_summary: SUMMARY,
};

/** Events with a piece of text. */
export const TEXT_DELTAS: ReadonlyMap<string, TextKind> = eventsOf('delta');
/** Events with the complete text of a part. */
export const TEXT_ENDS: ReadonlyMap<string, TextKind> = eventsOf('done');

/** The kind of a part of this type; undefined for parts without text. */
export function textKindOf(part: unknown): TextKind | undefined {
  return [ANSWER, REFUSAL, REASONING, SUMMARY].find((kind) => kind.part === part);
}

function eventsOf(ending: string): ReadonlyMap<string, TextKind> {
  return new Map(Object.entries(KINDS).map(([name, kind]) => [`response.${name}.${ending}`, kind]));
}
