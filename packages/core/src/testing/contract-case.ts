import { AgentError, messageOf } from '@x/errors';

/** One promise of a port: `run` rejects when it is broken. For any test runner: `it(item.name, item.run)`. */
export interface ContractCase {
  /** A sentence of the contract; no two cases of one contract have the same. */
  readonly name: string;
  /** Opens what it needs and closes it again. */
  readonly run: () => Promise<void>;
}

/** @throws AgentError `CONTRACT_BROKEN` when the two are not the same JSON */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) throw broken(`${what}: expected ${other}, got ${one}`);
}

/** The code of the error a promise rejects with. @throws AgentError `CONTRACT_BROKEN` when it does not reject */
export async function rejection(promise: Promise<unknown>, what: string): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return (error as { code?: unknown } | undefined)?.code ?? messageOf(error);
  }
  throw broken(`${what}: it was expected to reject`);
}

export function broken(message: string): AgentError {
  return new AgentError(message, { code: 'CONTRACT_BROKEN' });
}
