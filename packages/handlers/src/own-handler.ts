import type { AgentHandler } from '@x/core';

const OWN = Symbol('@x/handlers');

/** Marks a handler of ours, whose wraps always return a result: its names and steps need no check at each run, and thousands of tools no copy. */
export function ownHandler(handler: AgentHandler): AgentHandler {
  return Object.assign(handler, { [OWN]: true });
}

/** True for an unchanged handler of ours. */
export function isOwnHandler(handler: AgentHandler): boolean {
  return typeof handler === 'object' && handler !== null && Object.hasOwn(handler, OWN);
}
