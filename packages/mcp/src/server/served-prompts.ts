import { present } from '@x/core/internal';
import { isRecord } from '@x/errors';
import type { OptionRules } from '@x/errors/option-rules';
import * as is from '@x/errors/option-rules';
import { CODES, type Params, RpcError } from './json-rpc.ts';
import type { McpReadContext } from './served-resources.ts';

/** A prompt that clients offer to their users, often as a command (Model Context Protocol 2025-11-25, `Prompt`). */
export interface McpServedPrompt {
  /** Each one once. */
  readonly name: string;
  /** For people. Default: the name. */
  readonly title?: string;
  readonly description?: string;
  /** Default: none. */
  readonly arguments?: readonly McpPromptArgument[];
  /**
   * Makes it: a text is one message of the user. It gets texts for the arguments named above alone, and all that are required. Of what it
   * throws, the client learns an AgentError with a status below 500.
   */
  readonly get: (
    values: Readonly<Record<string, string>>,
    context: McpReadContext,
  ) => string | readonly McpPromptMessage[] | Promise<string | readonly McpPromptMessage[]>;
}

/** A text that a prompt takes. */
export interface McpPromptArgument {
  readonly name: string;
  readonly description?: string;
  /** Default: false. */
  readonly required?: boolean;
}

/** A message of a prompt; its content is a `ContentBlock` of the protocol, such as `{ type: 'text', text }`. */
export interface McpPromptMessage {
  readonly role: 'user' | 'assistant';
  readonly content: { readonly type: string };
}

const ARGUMENT: OptionRules<McpPromptArgument> = {
  name: is.required(is.words),
  description: is.text,
  required: is.flag,
};
const PROMPT: OptionRules<McpServedPrompt> = {
  name: is.required(is.words),
  title: is.words,
  description: is.text,
  arguments: is.uniqueListOf(is.nested(ARGUMENT), 'name'),
  get: is.required(is.callback),
};
export const PROMPTS: is.OptionRule = is.uniqueListOf(is.nested(PROMPT), 'name');

/** The prompts as a list tells them. */
export function toldPrompts(prompts: readonly McpServedPrompt[]): object[] {
  return prompts.map(({ get: _, ...told }) => present(told));
}

/** @throws RpcError for a prompt that is not there, and for arguments that it does not take */
export async function getPrompt(
  prompts: readonly McpServedPrompt[],
  { name, arguments: given = {} }: Params,
  context: McpReadContext,
): Promise<object> {
  const found = prompts.find((one) => one.name === name);
  if (!found) throw invalid('Prompt not found');
  const made = await found.get(valuesOf(found, given), context);
  if (typeof made !== 'string' && !Array.isArray(made))
    throw new TypeError('A prompt is a text, or a list of messages');
  const messages = typeof made === 'string' ? [{ role: 'user', content: { type: 'text', text: made } }] : made;
  return present({ description: found.description, messages });
}

function valuesOf({ arguments: known = [] }: McpServedPrompt, given: unknown): Record<string, string> {
  if (!isRecord(given)) throw invalid('arguments must be an object');
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(given)) {
    if (!known.some((one) => one.name === name)) throw invalid(`The prompt has no argument ${JSON.stringify(name)}`);
    if (typeof value !== 'string') throw invalid(`The argument ${name} must be a text`);
    values.set(name, value);
  }
  for (const { name, required } of known)
    if (required && !values.has(name)) throw invalid(`The argument ${name} is missing`);
  return Object.fromEntries(values);
}

function invalid(message: string): RpcError {
  return new RpcError(CODES.invalidParams, message);
}
