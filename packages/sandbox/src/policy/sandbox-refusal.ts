import { AuthorizationError } from '@x/core';
import type { SandboxViolation } from '../driver/driver.ts';

/** An access that a door has refused for the sandbox's sake. */
export class SandboxRefusal extends AuthorizationError {
  readonly violation: SandboxViolation;

  constructor(message: string, violation: SandboxViolation) {
    super(message);
    this.violation = violation;
  }
}
