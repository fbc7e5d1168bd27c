import { ValidationError } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';

/** An argument that is being written, of a prompt or of a resource template: one of the two. */
export interface McpCompletionRequest {
  /** The server's own name of the prompt. */
  readonly prompt?: string;
  /** A `uriTemplate`. */
  readonly resourceTemplate?: string;
  /** The name of the argument. */
  readonly argument: string;
  /** Its beginning; default: nothing yet. */
  readonly value?: string;
  /** Other arguments that have their values, on which the proposals may depend. */
  readonly known?: Readonly<Record<string, string>>;
}
/** Values that a server proposes, as untrusted as the server. */
export interface McpCompletion {
  readonly values: readonly string[];
  /** The number of all that there are, when the server says it. */
  readonly total?: number;
  /** True when there are more than these. */
  readonly hasMore: boolean;
}

const REQUEST: OptionRules<McpCompletionRequest> = {
  prompt: is.filledText,
  resourceTemplate: is.filledText,
  argument: is.required(is.filledText),
  value: is.text,
  known: is.recordOf(is.text),
};
/** Model Context Protocol 2025-11-25, completion: at most 100 values. */
const MOST_VALUES = 100;
/** Characters of one value: half of one would be a wrong one, so a longer one is left out. */
const MOST_CHARACTERS = 2_000;

/** The request in the words of the protocol. @throws ValidationError */
export function completionParams(request: McpCompletionRequest): object {
  checkOptions('The completion', request, REQUEST);
  const { prompt, resourceTemplate, argument: name, value = '', known } = request;
  if ((prompt === undefined) === (resourceTemplate === undefined)) {
    throw new ValidationError(
      'A completion is about a prompt or about a resourceTemplate; give one of the two',
      'prompt',
    );
  }
  const ref =
    prompt === undefined ? { type: 'ref/resource', uri: resourceTemplate } : { type: 'ref/prompt', name: prompt };
  return { ref, argument: { name, value }, ...(known ? { context: { arguments: known } } : {}) };
}

/** The proposals in the result of a server, which may be anything. */
export function completionOf({ completion }: Readonly<Record<string, unknown>>): McpCompletion {
  const { values, total, hasMore } = (completion ?? {}) as Readonly<Record<string, unknown>>; // read as unknown values
  const texts = (Array.isArray(values) ? values : []).filter(
    (value): value is string => typeof value === 'string' && value.length <= MOST_CHARACTERS,
  );
  return {
    values: texts.slice(0, MOST_VALUES),
    ...(typeof total === 'number' ? { total } : {}),
    hasMore: hasMore === true || texts.length > MOST_VALUES,
  };
}
