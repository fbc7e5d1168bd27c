import type { AssistantMessage } from '@x/core';
import { textIn } from './json-values.ts';
import { type ErrorContext, readable } from './model-error.ts';

type ResponseFacts = NonNullable<AssistantMessage['response']>;

/** Values of foreign JSON, of any type; the id of the request is a header's. */
export type SaidOfReply = { readonly [Fact in Exclude<keyof ResponseFacts, 'requestId'>]?: unknown };

/** Takes the texts that are not empty, without secrets, and no longer than those of errors; undefined when there is none. */
export function responseFacts(said: SaidOfReply, context: ErrorContext): ResponseFacts | undefined {
  const texts = Object.entries({ ...said, requestId: context.requestId }).flatMap(([name, value]) => {
    const text = textIn(value);
    return text === '' ? [] : [[name, readable(text, context)]];
  });
  return texts.length > 0 ? Object.fromEntries(texts) : undefined;
}
