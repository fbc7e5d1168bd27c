import type { AssistantMessage } from '@x/core';
import { textIn } from './json-values.ts';
import { type ErrorContext, readable } from './model-error.ts';

type ResponseFacts = NonNullable<AssistantMessage['response']>;

/** Facts that are texts. */
type Fact = Exclude<keyof ResponseFacts, 'limits'>;

/** Values of foreign JSON, of any type; the id of the request and the limits are those of headers. */
export type SaidOfReply = { readonly [Name in Exclude<Fact, 'requestId'>]?: unknown };

/** Takes the texts that are not empty, without secrets, and no longer than those of errors; undefined when there is none. */
export function responseFacts(said: SaidOfReply, context: ErrorContext): ResponseFacts | undefined {
  const { limits } = context;
  const facts: { -readonly [Name in Fact]?: string } = {};
  let isEmpty = true;
  const add = (name: Fact, value: unknown): void => {
    const text = textIn(value);
    if (text === '') return;
    facts[name] = readable(text, context);
    isEmpty = false;
  };
  for (const name of Object.keys(said) as (keyof SaidOfReply)[]) add(name, said[name]);
  add('requestId', context.requestId);
  if (limits) return { ...facts, limits };
  return isEmpty ? undefined : facts;
}
