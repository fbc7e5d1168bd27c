import { type AgentHandler, ValidationError } from '@x/core';
import { nearestName } from '@x/core/internal';

type Method = Exclude<keyof AgentHandler, 'name' | 'prototype'>;

const METHODS: Readonly<Record<Method, true>> = {
  beforeAgent: true,
  beforeUserMessage: true,
  beforeModelRewriteHistory: true,
  afterModelRewriteHistory: true,
  afterAgent: true,
  checkAnswer: true,
  wrapModelCall: true,
  wrapToolCall: true,
  wrapInvokableToolCall: true,
  wrapStreamableToolCall: true,
  onEvent: true,
  runEnded: true,
};
const NAMES: readonly string[] = Object.keys(METHODS);
/** Edits by which a method's name is a typo of a hook's. */
const SLIP = 2;

/**
 * Refuses an object that looks like a handler but would never be called: a class or a function instead of an object, a hook that is not a
 * function, a method whose name is a typo of a hook's. Other keys are allowed, such as state and helpers.
 * @throws ValidationError naming the handler and the method
 */
export function checkHandler(handler: unknown): asserts handler is AgentHandler {
  if (typeof handler === 'function') throw wrong(`A handler must be an object: ${insteadOf(handler)}`);
  if (typeof handler !== 'object' || handler === null) throw wrong('A handler must be an object with a name');
  const values = handler as Readonly<Record<string, unknown>>; // safe: only read as unknown values
  const { name } = values;
  if (typeof name !== 'string') throw wrong('A handler needs a name');
  for (const method of NAMES) {
    const value = values[method];
    if (value === undefined || typeof value === 'function') continue;
    throw wrong(
      `${method} of handler ${name} must be a function, not ${value === null ? 'null' : typeof value}`,
      method,
    );
  }
  checkMethodNames(`Handler ${name}`, handler, NAMES);
}

/** Refuses a method, own or of a class, whose name is a typo of a known one. @throws ValidationError naming both */
export function checkMethodNames(what: string, object: object, known: readonly string[]): void {
  for (let link = object; link && link !== Object.prototype; link = Object.getPrototypeOf(link) as object) {
    refuseSlips(what, link, known);
  }
}

function refuseSlips(what: string, link: object, known: readonly string[]): void {
  for (const key of Object.getOwnPropertyNames(link)) {
    if (known.includes(key)) continue;
    const asLong = known.filter((name) => Math.abs(name.length - key.length) <= SLIP);
    const meant = nearestName(key, asLong, SLIP);
    if (meant === undefined) continue;
    const { value, get } = Object.getOwnPropertyDescriptor(link, key)!; // an own key
    if (!get && typeof value !== 'function') continue;
    throw wrong(`${what} has a method ${key}, which nothing calls; did you mean ${meant}?`, key);
  }
}

function insteadOf(given: Function): string {
  const { name } = given;
  if (/^class\b/.test(Function.prototype.toString.call(given))) return `pass new ${name}(), not the class ${name}`;
  return `pass what the function${name === '' ? '' : ` ${name}`} returns, not the function`;
}

function wrong(message: string, field = 'handlers'): ValidationError {
  return new ValidationError(message, field);
}
