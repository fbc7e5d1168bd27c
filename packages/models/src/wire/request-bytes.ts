import type { Message, ModelRequest, Tool } from '@x/core';
import { type Head, HistoryBytes, type LentBody } from './history-bytes.ts';
import type { RequestFormat } from './request-format.ts';

/**
 * Builds the bodies of one model's requests. The most stable part comes first: model, tools, instruction, and the messages last. Each array
 * of tools is serialised once, the messages of a conversation once in all.
 */
export class RequestBytes {
  readonly #format: RequestFormat;
  readonly #heads = new WeakMap<readonly Tool[], KnownHead>();
  /** By the first message, which identifies a conversation. */
  readonly #histories = new WeakMap<Message, HistoryBytes>();

  constructor(format: RequestFormat) {
    this.#format = format;
  }

  bodyOf(request: ModelRequest): LentBody {
    return this.#historyOf(request.messages).lend(this.#headOf(request), request.messages);
  }

  #historyOf([first]: readonly Message[]): HistoryBytes {
    const known = first && this.#histories.get(first);
    if (known) return known;
    const history = new HistoryBytes(this.#format);
    if (first) this.#histories.set(first, history);
    return history;
  }

  #headOf(request: ModelRequest): Head {
    const { instruction, tools, outputFormat, options } = request;
    const known = this.#heads.get(tools);
    const sameTools =
      known !== undefined &&
      known.outputFormat === outputFormat &&
      known.options?.cache?.ttl === options?.cache?.ttl &&
      known.options?.serviceTools === options?.serviceTools;
    const variant = this.#format.variant?.(request);
    const sameRest = known?.instruction === instruction && known.variant === variant && known.options === options;
    if (sameTools && sameRest) return known;
    const toolsText = sameTools ? known.toolsText : this.#format.tools(request);
    const text = this.#format.head(request, toolsText);
    const isOpen = text.endsWith('[');
    const bytes = Buffer.from(isOpen ? text.slice(0, -1) : text);
    const head: KnownHead = {
      instruction,
      outputFormat,
      options,
      variant,
      toolsText,
      bytes,
      link: isOpen ? '[' : ',',
    };
    this.#heads.set(tools, head);
    return head;
  }
}

interface KnownHead extends Head {
  readonly instruction: string;
  readonly outputFormat: ModelRequest['outputFormat'];
  readonly options: ModelRequest['options'];
  readonly variant: string | undefined;
  readonly toolsText: string;
}
