import type { AssistantMessage } from '@x/core';
import { textIn } from './json-values.ts';
import { type ErrorContext, readable } from './model-error.ts';

type ResponseFacts = NonNullable<AssistantMessage['response']>;

/** Facts of the reply itself; the id of the request and the limits are those of headers. */
const SAID = ['id', 'model', 'stopReason', 'serviceTier'] as const;

/** Values of foreign JSON, of any type. */
export type SaidOfReply = { readonly [Name in (typeof SAID)[number]]?: unknown };

/** Takes the texts that are not empty, without secrets, and no longer than those of errors; undefined when there is none. */
export function responseFacts(said: SaidOfReply, context: ErrorContext): ResponseFacts | undefined {
  const { limits, requestId } = context;
  let facts: { -readonly [Name in keyof ResponseFacts]: ResponseFacts[Name] } | undefined;
  for (const name of SAID) {
    const text = textIn(said[name]);
    if (text !== '') (facts ??= {})[name] = readable(text, context);
  }
  if (requestId) (facts ??= {}).requestId = readable(requestId, context);
  if (limits) (facts ??= {}).limits = limits;
  return facts;
}
