import { AgentError } from '@x/core';

/** The reason why one driver cannot be used on this host. */
export interface DriverReason {
  readonly driver: string;
  /** A sentence that names what is missing. */
  readonly reason: string;
}

/** No driver here can keep a command inside the requested sandbox, so nothing is run. `details` has the reasons too. */
export class SandboxUnavailableError extends AgentError {
  override readonly name = 'SandboxUnavailableError';
  /** One for each driver that was tried, in order. */
  readonly reasons: readonly DriverReason[];

  constructor(reasons: readonly DriverReason[]) {
    const said = reasons.map(({ driver, reason }) => `${driver}: ${reason}`).join('; ');
    super(`No sandbox can be used on this host (${said || 'no driver was tried'})`, {
      code: 'SANDBOX_UNAVAILABLE',
      statusCode: 503,
      details: { reasons },
    });
    this.reasons = reasons;
  }
}
