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

/**
 * Gives each case its own server and model. A case is broken when no call was made, and no byte of an answer taken, for the
 * length of the patience.
 */
export function servedCases({ open, patienceMs = PATIENCE_MS }: ModelContractOptions): Served {
  return (name, script, check) => ({
    name,
    async run() {
      const server = await wireServer(script);
      let calls = 0;
      const progress = () => server.requests.reduce((sum, { written }) => sum + 1 + written, calls);
      const watch = new Watch(patienceMs, progress);
      try {
        const model = open(server.url, CONTRACT_KEY);
        const watched: Model = {
          provider: model.provider,
          name: model.name,
          contextWindow: model.contextWindow,
          stream(request) {
            calls++;
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

/** Looks during one patience. Time in which this process did not run counts as one of them, however long. */
const LOOKS = 10;

/** Fails when a measure of progress has stood still for the patience. */
class Watch {
  readonly #late = Promise.withResolvers<never>();
  readonly #timer: NodeJS.Timeout;

  constructor(patienceMs: number, progress: () => number) {
    let seen = progress();
    let still = 0;
    const look = () => {
      const now = progress();
      still = now === seen ? still + 1 : 0;
      seen = now;
      if (still >= LOOKS) this.#late.reject(broken(`nothing happened within ${patienceMs} ms`));
    };
    this.#timer = setInterval(look, patienceMs / LOOKS);
    this.#late.promise.catch(() => undefined);
  }

  async during(work: Promise<void>): Promise<void> {
    work.catch(() => undefined); // one that came too late is settled by the closing of its server
    await Promise.race([work, this.#late.promise]);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

function broken(message: string): Error {
  return new assert.AssertionError({ message });
}
