import type { AgentEvent } from '@x/core';

/** A copy of an event, including everything it shares with the run: an observer cannot change the run. */
export function eventForObserver(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case 'tool_use':
    case 'message':
    case 'usage':
    case 'question':
      return structuredClone(event);
    case 'result': {
      const { structured, ...told } = event;
      return Object.hasOwn(event, 'structured')
        ? { ...structuredClone(told), structured: copied(structured) }
        : structuredClone(event);
    }
    case 'subagent':
      return { ...event, event: eventForObserver(event.event) };
    default:
      return { ...event };
  }
}

/**
 * Copies objects and lists; other values from a parser (dates, maps, instances of a class) are shared, as not all of them can be copied.
 */
function copied(value: unknown, known: Map<object, unknown> = new Map()): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (known.has(value)) return known.get(value);
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    known.set(value, list);
    for (const one of value) list.push(copied(one, known));
    return list;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return value;
  const copy = Object.create(prototype) as Record<string, unknown>;
  known.set(value, copy);
  for (const [key, one] of Object.entries(value)) define(copy, key, copied(one, known));
  return copy;
}

/** Not an assignment, which would treat `__proto__` as the prototype. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
}
