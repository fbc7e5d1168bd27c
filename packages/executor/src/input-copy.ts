import type { Message } from '@x/core';
import { frozen } from '@x/core/internal';

/** A copy of the objects and lists of a value; other values are shared. */
export function copyOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isPlain(value)) return value;
  const copy = { ...value }; // many times as fast as entries
  for (const key of Object.keys(copy)) if (typeof copy[key] === 'object') copy[key] = copyOf(copy[key]);
  return copy;
}

/** True when a value still equals its `copy`. */
export function isLike(value: unknown, copy: unknown): boolean {
  if (Array.isArray(value)) {
    return Array.isArray(copy) && value.length === copy.length && value.every((one, index) => isLike(one, copy[index]));
  }
  if (!isPlain(value)) return Object.is(value, copy);
  if (!isPlain(copy)) return false;
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(copy).length) return false;
  return keys.every((key) => Object.hasOwn(copy, key) && isLike(value[key], copy[key]));
}

/** A frozen copy of a message from outside; the message itself if it is frozen at every depth. */
export function ownMessage<M extends Message>(message: M): M {
  return isFrozen(message) ? message : frozen(copyOf(message) as M); // a copy is what it was made of
}

function isFrozen(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isFrozen);
}

function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
