import { createHmac, randomBytes } from 'node:crypto';
import { fixedKeyOf, type ProviderConfig } from '../wire/provider-config.ts';

/** Names the circuits of services and keys: by a hash that only this object can make, so that no key can be guessed from its name. */
export class CircuitNames {
  readonly #salt = randomBytes(16);
  readonly #functions = new WeakMap<object, number>();
  #count = 0;

  /** Such as `anthropic https://example.com #0123456789ab`. @throws AuthenticationError when there is no key */
  of(config: ProviderConfig): string {
    const { type, baseUrl, apiKey, headers } = config;
    const facts = [baseUrl, fixedKeyOf(config) ?? this.#told(apiKey), this.#told(headers)];
    const hash = createHmac('sha256', this.#salt).update(JSON.stringify(facts)).digest('hex').slice(0, 12);
    return `${type}${baseUrl === undefined ? '' : ` ${new URL(baseUrl).origin}`} #${hash}`;
  }

  /** A function is the same as long as it is the same object, whatever it gives. */
  #told(value: unknown): unknown {
    if (typeof value !== 'function') return value;
    const number = this.#functions.get(value) ?? ++this.#count;
    this.#functions.set(value, number);
    return { number };
  }
}
