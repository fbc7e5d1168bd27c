import { SandboxUnavailableError } from '../../driver/sandbox-unavailable-error.ts';

export const DRIVER = 'bubblewrap';

/** The error of a wall that cannot be built. */
export function lost(reason: string): SandboxUnavailableError {
  return new SandboxUnavailableError([{ driver: DRIVER, reason }]);
}
