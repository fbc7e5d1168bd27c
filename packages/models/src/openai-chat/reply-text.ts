import type { AssistantMessage } from '@x/core';
import type { ThinkingData } from './carried-fields.ts';

type Block = AssistantMessage['content'][number];
interface OpenBlock {
  readonly type: 'text' | 'thinking';
  text: string;
  /** The field of the thinking text. */
  readonly field?: string;
}

/** Text and thinking of a reply, in order; continued text is one block. */
export class ReplyText {
  readonly #blocks: OpenBlock[] = [];

  get isEmpty(): boolean {
    return this.#blocks.length === 0;
  }

  /** `field` is the field of the thinking. */
  add(type: OpenBlock['type'], text: string, field?: string): void {
    const block = this.#blocks.at(-1);
    if (block?.type === type) block.text += text;
    else this.#blocks.push({ type, text, ...(field === undefined ? {} : { field }) });
  }

  /** The blocks; the first of thinking carries the fields to send back with the message, and is created if necessary. */
  blocks(provider: string, message: Readonly<Record<string, unknown>>): Block[] {
    const hasFields = Object.keys(message).length > 0;
    const bearer = hasFields ? this.#blocks.find(({ type }) => type === 'thinking') : undefined;
    const blocks = this.#blocks.map((block): Block => {
      const { type, text, field } = block;
      if (field === undefined && block !== bearer) return { type, text };
      const data: ThinkingData = {
        ...(field === undefined ? {} : { field }),
        ...(block === bearer ? { message } : {}),
      };
      return { type, text, providerData: { provider, data } };
    });
    if (!hasFields || bearer) return blocks;
    return [{ type: 'thinking', text: '', providerData: { provider, data: { message } } }, ...blocks];
  }
}
