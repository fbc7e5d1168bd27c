import type { AssistantMessage } from '@x/core';
import { textIn } from './json-values.ts';
import { type ErrorContext, readable } from './model-error.ts';

type ResponseFacts = NonNullable<AssistantMessage['response']>;

/** What a service says of its reply, as it came: unknown values of foreign JSON. */
export type SaidOfReply = { readonly [Fact in keyof ResponseFacts]: unknown };

/** Texts that are not empty, without secrets, and not longer than those of errors; undefined when there is none. */
export function responseFacts(said: SaidOfReply, context: ErrorContext): ResponseFacts | undefined {
  const { requestId } = context;
  const texts = Object.entries({ ...said, requestId: said.requestId ?? requestId }).flatMap(([name, value]) => {
    const text = textIn(value);
    return text === '' ? [] : [[name, readable(text, context)]];
  });
  return texts.length > 0 ? Object.fromEntries(texts) : undefined;
}
