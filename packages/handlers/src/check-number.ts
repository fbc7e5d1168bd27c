import { ValidationError } from '@x/core';

/** @throws ValidationError unless the value is a whole number of at least `least` */
export function checkWhole(value: number, field: string, least: number): void {
  if (Number.isInteger(value) && value >= least) return;
  throw new ValidationError(`${field} must be a whole number from ${least}, not ${String(value)}`, field);
}

/** @throws ValidationError unless the value is a finite number of milliseconds from 0 */
export function checkMs(value: number, field: string): void {
  if (Number.isFinite(value) && value >= 0) return;
  throw new ValidationError(`${field} must be a number of milliseconds from 0, not ${String(value)}`, field);
}
