import type { AssistantMessage } from '@x/core';
import { addUsage } from '@x/core/internal';
import type { Speak } from '../wire/lazy-model.ts';

/** A service that pauses more often is taken at its word: the reply ends there. */
const MOST_PAUSES = 20;

/**
 * Replies that the service has paused: long turns with its own tools. Sent back as they are, they are continued (platform.claude.com,
 * "Handling stop reasons", `pause_turn`), so that their reader gets one reply.
 */
export class PausedTurns {
  readonly #paused = new WeakSet<AssistantMessage>();

  /** Marks a reply as paused. */
  readonly add = (reply: AssistantMessage): void => void this.#paused.add(reply);

  /** True for a paused reply, which goes back with its open calls. */
  readonly has = (reply: AssistantMessage): boolean => this.#paused.has(reply);

  /** Speaks until a reply is not paused. */
  continuing(speak: Speak): Speak {
    const { add, has } = this;
    return async function* stream(request) {
      let reply = yield* speak(request);
      for (let pauses = 0; has(reply) && pauses < MOST_PAUSES; pauses++) {
        const next = yield* speak({ ...request, messages: [...request.messages, reply] });
        const content = [...reply.content, ...next.content];
        reply = { ...next, content, usage: addUsage(reply.usage, next.usage) };
        if (has(next)) add(reply);
      }
      return has(reply) ? { ...reply } : reply; // the copy is a plain end
    };
  }
}
