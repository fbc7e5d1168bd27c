import type { Message, ModelRequest } from '@x/core';

/** How one model API writes its requests. What a message becomes depends on nothing but the message and the model's name. */
export interface RequestFormat {
  /** The tools as members of the body, each followed by a comma; empty without tools. Asked again only for another list or form of the answer. */
  tools(request: Pick<ModelRequest, 'tools' | 'outputFormat'>): string;
  /** The body as far as it stands before the history, `tools` included: it ends with the bracket of the list of messages, or with one of them. */
  head(request: ModelRequest, tools: string): string;
  /** What else the head depends on, as a key: it is made again when this changes. Default: nothing. */
  variant?: ((request: ModelRequest) => string) | undefined;
  /** One message of the history, as the objects that it is on the wire. */
  messages(message: Message): readonly object[];
}

/** Fields as members of a JSON object, each followed by a comma; those that are undefined are left out. */
export function members(fields: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) text += `${JSON.stringify(name)}:${JSON.stringify(value)},`;
  }
  return text;
}
