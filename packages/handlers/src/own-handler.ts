import type { AgentHandler } from '@x/core';

const OWN = Symbol('@x/handlers');

/** Marks a handler of this package, whose wraps always pass a result on: neither its names nor its steps have to be looked at, at each run. */
export function ownHandler(handler: AgentHandler): AgentHandler {
  return Object.assign(handler, { [OWN]: true });
}

/** True for a handler of this package that nobody has changed. */
export function isOwnHandler(handler: AgentHandler): boolean {
  return typeof handler === 'object' && handler !== null && Object.hasOwn(handler, OWN);
}
