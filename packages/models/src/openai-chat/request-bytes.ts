import type { Message, ModelRequest, Tool } from '@x/core';
import { type Head, HistoryBytes, type LentBody } from './history-bytes.ts';
import { responseFormat, systemMessage, wireTools } from './to-request.ts';

/**
 * Makes the bodies of one model's requests. What changes least comes first: model, tools, instruction, and the messages last.
 * The tools are serialised once for each array of them, the messages of a conversation once in all.
 */
export class RequestBytes {
  readonly #model: string;
  readonly #heads = new WeakMap<readonly Tool[], KnownHead>();
  /** By the first message: that is what tells conversations apart. */
  readonly #histories = new WeakMap<Message, HistoryBytes>();

  constructor(model: string) {
    this.#model = model;
  }

  bodyOf(request: ModelRequest): LentBody {
    return this.#historyOf(request.messages).lend(this.#headOf(request), request.messages);
  }

  #historyOf([first]: readonly Message[]): HistoryBytes {
    const known = first && this.#histories.get(first);
    if (known) return known;
    const history = new HistoryBytes();
    if (first) this.#histories.set(first, history);
    return history;
  }

  #headOf({ instruction, tools, outputFormat }: ModelRequest): Head {
    const known = this.#heads.get(tools);
    if (known?.instruction === instruction && known.outputFormat === outputFormat) return known;
    const toolsJson = known?.toolsJson ?? (tools.length === 0 ? '' : `"tools":${JSON.stringify(wireTools(tools))},`);
    const format = outputFormat ? `"response_format":${JSON.stringify(responseFormat(outputFormat))},` : '';
    const start = `{"model":${JSON.stringify(this.#model)},"stream":true,"stream_options":{"include_usage":true},`;
    const system = systemMessage(instruction);
    const bytes = Buffer.from(`${start}${toolsJson}${format}"messages":${system ? `[${JSON.stringify(system)}` : ''}`);
    const head: KnownHead = { instruction, outputFormat, toolsJson, bytes, link: system ? ',' : '[' };
    this.#heads.set(tools, head);
    return head;
  }
}

interface KnownHead extends Head {
  readonly instruction: string;
  readonly outputFormat: ModelRequest['outputFormat'];
  readonly toolsJson: string;
}
