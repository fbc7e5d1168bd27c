import type { AssistantMessage, ImageBlock, Message, ModelRequest } from '@x/core';

/** An object in the list of messages. */
export type WireObject = object & { readonly role?: unknown };

/** The request format of one model API. The format of a message depends on nothing but the message, the one before and the model's name. */
export interface RequestFormat {
  /**
   * The tools as members of the body, each followed by a comma; empty without tools. Called again only for other lists, another output format or
   * lifetime of the cache.
   */
  tools(request: Pick<ModelRequest, 'tools' | 'deferredTools' | 'outputFormat' | 'options'>): string;
  /** The body before the history, `tools` included: it ends with the bracket of the list of messages, or with one of them. */
  head(request: ModelRequest, tools: string): string;
  /** A key for everything else that the head depends on: when it changes, the head is built again. Default: nothing. */
  variant?: ((request: ModelRequest) => string) | undefined;
  /**
   * One message of the history, as wire objects. `roleBefore` is the role of the wire object before them, `before` the message before: of
   * results, the reply with their calls.
   */
  messages(message: Message, roleBefore?: string, before?: Message): readonly WireObject[];
  /** True for a picture that `messages` writes into its reply. Default: none is, and others stand in its place. */
  keepsPicture?: ((picture: ImageBlock, reply: AssistantMessage) => boolean) | undefined;
  /** Wire objects that begin and end with these texts become one with those of the same kind before them. */
  readonly merged?: { readonly start: string; readonly end: string } | undefined;
}

/** Fields as members of a JSON object, each followed by a comma; undefined ones are left out. */
export function members(fields: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) text += `${JSON.stringify(name)}:${JSON.stringify(value)},`;
  }
  return text;
}
