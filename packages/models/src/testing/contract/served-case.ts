import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { type AgentError, type AgentEvent, type AssistantMessage, isAgentError, type Model } from '@x/core';
import { type ContractCase, collect } from '@x/core/testing';
import { type WireScript, type WireServer, wireServer } from '../wire-server.ts';
import type { ModelContractOptions } from './contract-options.ts';
import { type Asked, contractRequest } from './contract-request.ts';

/** The key that the contract gives to every model; it must not appear anywhere. */
export const CONTRACT_KEY = 'contract-key-4711';
const PATIENCE_MS = 10_000;

/** Makes a case from a name, the answers of the service, and a check. */
export type Served = (
  name: string,
  script: WireScript,
  check: (model: Model, server: WireServer) => Promise<void>,
) => ContractCase;

/** Gives each case its own server and model. A model that is silent for longer than the patience breaks the case. */
export function servedCases({ open, patienceMs = PATIENCE_MS }: ModelContractOptions): Served {
  return (name, script, check) => ({
    name,
    async run() {
      const server = await wireServer(script);
      const watch = new Watch(patienceMs);
      try {
        const model = open(server.url, CONTRACT_KEY);
        const watched: Model = {
          provider: model.provider,
          name: model.name,
          contextWindow: model.contextWindow,
          stream(request) {
            watch.touch();
            return model.stream(request);
          },
        };
        await watch.during(check(watched, server));
      } finally {
        watch.end();
        await server.close();
      }
    },
  });
}

type Outcome = AgentError | { events: AgentEvent[]; value: AssistantMessage };

/** The outcome of one call: the message and its events, or the typed error. Anything else breaks the contract. */
export async function outcomeOf(model: Model, asked?: Asked): Promise<Outcome> {
  try {
    return await collect(model.stream(contractRequest(asked)));
  } catch (error) {
    assert.ok(isAgentError(error), `an error that is not typed: ${String(error)}`);
    return error;
  }
}

const CODES =
  /^(AUTHENTICATION_ERROR|MODEL_NOT_FOUND|RATE_LIMIT_EXCEEDED|QUOTA_EXCEEDED|CONTEXT_OVERFLOW|MODEL_OVERLOADED|STREAM_CUT|MODEL_ERROR)$/;

/** The `ModelError` of a failing call. */
export async function failureOf(model: Model, asked?: Asked): Promise<AgentError & { readonly retryAfter?: number }> {
  const outcome = await outcomeOf(model, asked);
  assert.ok(isAgentError(outcome), 'the call did not fail');
  assert.match(outcome.code, CODES);
  return outcome;
}

/** The message of a call that completes. */
export async function messageOf(model: Model, asked?: Asked): Promise<AssistantMessage> {
  return (await collect(model.stream(contractRequest(asked)))).value;
}

/**
 * The facts that two readings of `stream` must have in common. An id that is not in the stream comes from the adapter: its position counts
 * instead.
 */
export function factsOf({ content, usage, stopReason }: AssistantMessage, stream: string): unknown {
  const blocks = content.map((block, index) =>
    block.type !== 'tool_use' || stream.includes(block.id) ? block : { ...block, id: `of block ${index}` },
  );
  return { content: blocks, usage, stopReason };
}

/** @throws AssertionError that names the difference, without printing both in full */
export function sameFacts(actual: unknown, expected: unknown, where: string): void {
  if (!isDeepStrictEqual(actual, expected)) assert.deepEqual(actual, expected, `${where}: ${JSON.stringify(actual)}`);
}

/** Fails when more time than the patience has passed since it was last touched. */
class Watch {
  readonly #late = Promise.withResolvers<never>();
  readonly #timer: NodeJS.Timeout;

  constructor(patienceMs: number) {
    const error = () => new assert.AssertionError({ message: `nothing happened within ${patienceMs} ms` });
    this.#timer = setTimeout(() => this.#late.reject(error()), patienceMs);
    this.#late.promise.catch(() => undefined);
  }

  touch(): void {
    this.#timer.refresh();
  }

  async during(work: Promise<void>): Promise<void> {
    work.catch(() => undefined); // one that came too late is settled by the closing of its server
    await Promise.race([work, this.#late.promise]);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
