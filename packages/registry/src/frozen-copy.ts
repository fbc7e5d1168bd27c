import { ValidationError } from '@x/core';

/** A deep, frozen copy of plain data. @throws ValidationError when `what` holds a function or another thing that cannot be copied */
export function frozenCopy<T>(value: T, what: string): T {
  let copy: T;
  try {
    copy = structuredClone(value);
  } catch (cause) {
    const error = new ValidationError(`${what} must be plain data: ${(cause as Error).message}`);
    error.cause = cause;
    throw error;
  }
  return frozen(copy);
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
}
