import type { Message, ModelRequest, Tool } from '@x/core';
import { type Head, HistoryBytes, type LentBody } from './history-bytes.ts';
import type { RequestFormat } from './request-format.ts';
import { mayRepeatSearches, withoutSearches } from './tool-searches.ts';

/**
 * Builds the bodies of one model's requests. The most stable part comes first: model, tools, instruction, and the messages last. Each array
 * of tools is serialised once, the messages of a conversation once in all.
 */
export class RequestBytes {
  readonly #format: RequestFormat;
  readonly #heads = new WeakMap<readonly Tool[], KnownHead>();
  /** By the first message, which identifies a conversation. */
  readonly #histories = new WeakMap<Message, HistoryBytes>();
  /** The same without searches of the service. */
  readonly #plainHistories = new WeakMap<Message, HistoryBytes>();

  constructor(format: RequestFormat) {
    this.#format = format;
  }

  bodyOf(request: ModelRequest): LentBody {
    const { messages } = request;
    const head = this.#headOf(request);
    const history = historyIn(this.#histories, this.#format, messages);
    const body = history.lend(head, messages);
    if (!history.found || mayRepeatSearches(request, history.found)) return body;
    body.giveBack();
    return historyIn(this.#plainHistories, plainFormat(this.#format), messages).lend(head, messages);
  }

  #headOf(request: ModelRequest): Head {
    const { instruction, tools, deferredTools, outputFormat, options } = request;
    const known = this.#heads.get(tools);
    const sameTools =
      known !== undefined &&
      known.outputFormat === outputFormat &&
      known.deferredTools === deferredTools &&
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
      deferredTools,
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

function historyIn(
  known: WeakMap<Message, HistoryBytes>,
  format: RequestFormat,
  [first]: readonly Message[],
): HistoryBytes {
  let history = first && known.get(first);
  if (history) return history;
  history = new HistoryBytes(format);
  if (first) known.set(first, history);
  return history;
}

function plainFormat(format: RequestFormat): RequestFormat {
  return {
    ...format,
    messages: (message, roleBefore, before) => format.messages(withoutSearches(message), roleBefore, before),
  };
}

interface KnownHead extends Head {
  readonly instruction: string;
  readonly deferredTools: ModelRequest['deferredTools'];
  readonly outputFormat: ModelRequest['outputFormat'];
  readonly options: ModelRequest['options'];
  readonly variant: string | undefined;
  readonly toolsText: string;
}
