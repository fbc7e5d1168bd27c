import type { AssistantMessage, StreamMessage, TokenUsage } from '@x/core';
import type { SessionEvent } from '@x/session';

type Told = SessionEvent['event'];

const SHOWN: ReadonlySet<string> = new Set(['turn_start', 'user_message', 'turn_end', 'tool_result', 'usage']);

/** Makes the messages of an in-process `stream()` from the events of one run. */
export class RunMessages {
  readonly #includesThinking: boolean;
  /** The reply under way, and its text as it was told. */
  #reply = { id: '', text: '' };
  #usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };

  constructor(includesThinking: boolean) {
    this.#includesThinking = includesThinking;
  }

  /** Tokens of the replies that were told, those of subagents included. */
  get usage(): TokenUsage {
    return { ...this.#usage };
  }

  /** None for events of subagents, and for those that only observers get. */
  messagesOf({ agentPath, messageId = '', event }: SessionEvent): readonly StreamMessage[] {
    if (event.type === 'run_started') this.#usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
    if (event.type === 'message' && event.message.role === 'assistant') this.#count(event.message.usage);
    if (agentPath.length > 0) return [];
    if (event.type === 'content') {
      const before = this.#reply.id === messageId ? this.#reply.text : '';
      this.#reply = { id: messageId, text: before + event.delta };
      return [event];
    }
    if (event.type === 'thinking') return this.#includesThinking ? [event] : [];
    if (event.type === 'message') return event.message.role === 'assistant' ? this.#ofReply(event.message) : [];
    if (event.type === 'result') return resultOf(event);
    return SHOWN.has(event.type) ? [event as StreamMessage] : []; // safe: these are of both
  }

  #count({ inputTokens, outputTokens, totalTokens }: TokenUsage): void {
    const before = this.#usage;
    this.#usage = {
      inputTokens: before.inputTokens + inputTokens,
      outputTokens: before.outputTokens + outputTokens,
      totalTokens: before.totalTokens + totalTokens,
    };
  }

  /** Pieces of the text that a cut has taken are told at its end; then come the pictures and the calls. */
  #ofReply({ id, content }: AssistantMessage): readonly StreamMessage[] {
    const text = content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const told = this.#reply.id === id ? this.#reply.text : '';
    const missing = text.startsWith(told) ? text.slice(told.length) : '';
    const pictures = content.flatMap((block): StreamMessage[] =>
      block.type === 'image' ? [{ type: 'image', mediaType: block.mediaType, data: block.data }] : [],
    );
    const calls = content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ type: 'tool_use', id: block.id, name: block.name, input: block.input } as const]
        : [],
    );
    return [...(missing === '' ? [] : [{ type: 'content', delta: missing } as const]), ...pictures, ...calls];
  }
}

/** A failed run tells its error first, as in process. */
function resultOf(event: Extract<Told, { type: 'result' }>): readonly StreamMessage[] {
  const { subtype, error, code, status, retryable, retryAfter, requestId, provider } = event;
  if (subtype !== 'error' || error === undefined) return [event];
  const facts = Object.entries({ code, status, retryable, retryAfter, requestId, provider });
  const given = Object.fromEntries(facts.filter(([, value]) => value !== undefined));
  return [{ type: 'error', message: error, ...given }, event];
}
