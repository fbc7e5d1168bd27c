import type { AssistantMessage } from '@x/core';
import { textIn } from './json-values.ts';
import { type ErrorContext, readable } from './model-error.ts';

type ResponseFacts = NonNullable<AssistantMessage['response']>;

/** Values of foreign JSON, of any type; the id of the request is a header's. */
export type SaidOfReply = { readonly [Fact in Exclude<keyof ResponseFacts, 'requestId'>]?: unknown };

/** Takes the texts that are not empty, without secrets, and no longer than those of errors; undefined when there is none. */
export function responseFacts(said: SaidOfReply, context: ErrorContext): ResponseFacts | undefined {
  const facts: { -readonly [Fact in keyof ResponseFacts]: string } = {};
  let isEmpty = true;
  const add = (name: keyof ResponseFacts, value: unknown): void => {
    const text = textIn(value);
    if (text === '') return;
    facts[name] = readable(text, context);
    isEmpty = false;
  };
  for (const name of Object.keys(said) as (keyof SaidOfReply)[]) add(name, said[name]);
  add('requestId', context.requestId);
  return isEmpty ? undefined : facts;
}
