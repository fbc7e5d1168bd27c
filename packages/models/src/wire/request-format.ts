import type { Message, ModelRequest } from '@x/core';

/** The request format of one model API. The format of a message depends on nothing but the message and the model's name. */
export interface RequestFormat {
  /**
   * The tools as members of the body, each followed by a comma; empty without tools. Called again only for another list, output format or
   * lifetime of the cache.
   */
  tools(request: Pick<ModelRequest, 'tools' | 'outputFormat' | 'options'>): string;
  /** The body before the history, `tools` included: it ends with the bracket of the list of messages, or with one of them. */
  head(request: ModelRequest, tools: string): string;
  /** A key for everything else that the head depends on: when it changes, the head is built again. Default: nothing. */
  variant?: ((request: ModelRequest) => string) | undefined;
  /** One message of the history, as wire objects. */
  messages(message: Message): readonly object[];
}

/** Fields as members of a JSON object, each followed by a comma; undefined ones are left out. */
export function members(fields: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) text += `${JSON.stringify(name)}:${JSON.stringify(value)},`;
  }
  return text;
}
