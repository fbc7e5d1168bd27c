import { ValidationError } from '@x/core';
import { messageOf } from '@x/core/internal';

/** Limits of one fast copy; beyond them, and for cycles, the slower copy is used. */
const MOST_VALUES = 20_000;
const DEEPEST = 64;

/** A deep, frozen copy of plain data. @throws ValidationError when `what` contains a function or another value that cannot be copied */
export function frozenCopy<T>(value: T, what: string): T {
  try {
    const copy = copied(value, 0, { left: MOST_VALUES });
    return (copy === UNUSUAL ? frozen(structuredClone(value)) : copy) as T; // a copy is what it was made of
  } catch (cause) {
    const error = new ValidationError(`${what} must be plain data: ${messageOf(cause)}`);
    error.cause = cause;
    throw error;
  }
}

const UNUSUAL = Symbol('unusual');

/** Undefined for dates, maps, cycles and the like, which are unusual: `structuredClone` copies them all, at ten times the cost. */
function copied(value: unknown, depth: number, budget: { left: number }): unknown {
  if (typeof value !== 'object' || value === null) {
    if (typeof value !== 'function' && typeof value !== 'symbol') return value;
    throw new TypeError(`a ${typeof value} cannot be copied`);
  }
  if (depth > DEEPEST || budget.left-- <= 0) return UNUSUAL;
  const copy = emptyLike(value);
  if (!copy) return UNUSUAL;
  for (const key of Object.keys(value)) {
    const inner = copied((value as Record<string, unknown>)[key], depth + 1, budget);
    if (inner === UNUSUAL || key === '__proto__') return UNUSUAL;
    copy[key] = inner;
  }
  return Object.freeze(copy);
}

/** A new array or plain object; undefined for other kinds, and for arrays with holes. */
function emptyLike(value: object): Record<string, unknown> | undefined {
  if (Array.isArray(value)) {
    return value.length === Object.keys(value).length ? ([] as unknown as Record<string, unknown>) : undefined; // filled by index
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null ? {} : undefined;
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value) || ArrayBuffer.isView(value)) return value;
  Object.freeze(value);
  for (const inner of Object.values(value)) frozen(inner);
  return value;
}
