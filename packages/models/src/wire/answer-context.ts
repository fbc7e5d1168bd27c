import type { RateLimits } from '@x/core/internal';
import type { Endpoint } from './endpoint.ts';
import type { HttpExchange } from './http-exchange.ts';
import { type ErrorContext, requestIdIn } from './model-error.ts';
import { LIMIT_HEADERS, rateLimitsIn } from './rate-limits.ts';

/** The provider to name in errors, and, once there is an answer, its request id. */
export class AnswerContext implements ErrorContext {
  readonly provider: string;
  readonly apiKey: string;
  readonly secrets: readonly string[];
  #exchange: HttpExchange | undefined;
  #answeredAt = 0;

  /** `ofRequest`: more texts that errors must not show. */
  constructor(provider: string, { access, secrets }: Endpoint, ofRequest: readonly string[]) {
    this.provider = provider;
    this.apiKey = access.apiKey;
    this.secrets = ofRequest.length === 0 ? secrets : [...secrets, ...ofRequest];
  }

  /** Called when the head of the answer is there. */
  answered(exchange: HttpExchange): void {
    this.#exchange = exchange;
    this.#answeredAt = Date.now();
  }

  get isAnswered(): boolean {
    return this.#exchange !== undefined;
  }

  get requestId(): string | undefined {
    const exchange = this.#exchange;
    return exchange && requestIdIn((name) => exchange.header(name));
  }

  get limits(): RateLimits | undefined {
    const headers = this.#exchange?.headersFrom(LIMIT_HEADERS) ?? [];
    return headers.length === 0 ? undefined : rateLimitsIn(headers, this.#answeredAt);
  }
}
