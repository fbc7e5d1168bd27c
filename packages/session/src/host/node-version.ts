import { AgentError } from '@x/core';

/** As `engines` of the package says; used also where the package cannot be found, because the host has bundled it. */
export const LEAST_NODE = '22.18';

/** Refuses a Node in which things would fail later, in the middle. @throws AgentError `UNSUPPORTED_NODE` */
export function requireNode(version: string = process.versions.node): void {
  if (isAtLeast(version, LEAST_NODE)) return;
  throw new AgentError(`@x/agent-sdk needs Node ${LEAST_NODE} or later; this is ${version}`, {
    code: 'UNSUPPORTED_NODE',
  });
}

/** Compares versions number by number. */
export function isAtLeast(version: string, least: string): boolean {
  const [has, needs] = [version, least].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  for (const [index, part] of needs!.entries()) {
    const own = has![index] ?? 0; // both texts were given
    if (own !== part) return own > part;
  }
  return true;
}
