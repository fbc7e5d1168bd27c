import type { AgentEvent } from '@x/core';

/** A copy of an event, as deep as what it shares with the run: whatever an observer does to it changes nothing. */
export function eventForObserver(event: AgentEvent): AgentEvent {
  switch (event.type) {
    case 'tool_use':
    case 'message':
    case 'usage':
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

/** A copy of objects and lists; what a parser has made of them beside (dates, maps, instances of a class) is shared, as not all of it has copies. */
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

/** An assignment would take `__proto__` for the prototype. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, configurable: true, enumerable: true, writable: true });
}
