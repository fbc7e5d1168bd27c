import { AgentError } from '@x/core';
import type { CreateSandboxOptions, Sandbox } from '../create-sandbox.ts';

/** What a case works with: directories that it may use up, and sandboxes over `root` that are closed after it. */
export interface DriverTrial {
  /** The writable directory. */
  readonly root: string;
  /** A directory of the host, outside, with a file `note` that holds `of the host`. */
  readonly outside: string;
  readonly make: (options?: Omit<CreateSandboxOptions, 'driver' | 'cwd'>) => Promise<Sandbox>;
}

/** @throws AgentError `CONTRACT_BROKEN` unless both are the same JSON */
export function same(actual: unknown, expected: unknown, what: string): void {
  const [one, other] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (one !== other) {
    throw new AgentError(`${what}: expected ${other}, got ${one}`, { code: 'CONTRACT_BROKEN' });
  }
}
