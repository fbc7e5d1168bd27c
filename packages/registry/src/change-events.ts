import { isAgentError, type Logger, ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';

/** A change of one tool. A replaced tool is enabled, whatever the one before it was. */
export interface RegistryChange {
  readonly type: 'registered' | 'replaced' | 'unregistered' | 'enabled' | 'disabled';
  readonly name: string;
}
/** Called after each change, with the registry in its new state. */
export type RegistryListener = (change: RegistryChange) => void;

/** Calls every listener with every change, all in the same order: changes made by a listener are reported afterwards. */
export class ChangeEvents {
  readonly #logger: Logger;
  readonly #listeners = new Set<{ readonly listener: RegistryListener }>();
  readonly #waiting: RegistryChange[] = [];
  #telling = false;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Returns a function that ends the subscription. */
  subscribe(listener: RegistryListener): () => void {
    if (typeof listener !== 'function') throw new ValidationError('The listener must be a function', 'listener');
    const subscription = { listener };
    this.#listeners.add(subscription);
    return () => void this.#listeners.delete(subscription);
  }

  tell(type: RegistryChange['type'], name: string): void {
    if (this.#listeners.size === 0) return;
    this.#waiting.push(Object.freeze({ type, name }));
    if (this.#telling) return;
    this.#telling = true;
    while (this.#waiting.length > 0) for (const change of this.#waiting.splice(0)) this.#tellAll(change);
    this.#telling = false;
  }

  #tellAll(change: RegistryChange): void {
    const subscribed = [...this.#listeners]; // who comes meanwhile hears of later changes
    for (const subscription of subscribed) {
      if (!this.#listeners.has(subscription)) continue; // ended by one before it
      try {
        const answer: unknown = subscription.listener(change);
        if (answer instanceof Promise) answer.catch((error: unknown) => this.#failed(error, change));
      } catch (error) {
        this.#failed(error, change);
      }
    }
  }

  /** Logs the error of a listener: it undoes no change and stops no other listener. */
  #failed(error: unknown, change: RegistryChange): void {
    const code = isAgentError(error) ? { code: error.code } : {};
    this.#logger.error({ ...change, ...code, error: messageOf(error) }, 'registry_listener_failed');
  }
}
