import { AgentError } from '@x/core';

/** As in `engines` of the package; needed here too because a bundle has no manifest. */
export const LEAST_NODE = '22.18';

/** The version that was looked at last. */
let supported: string | undefined;

/** Refuses an old Node, on which things would fail later. @throws AgentError `UNSUPPORTED_NODE` */
export function requireNode(version: string = process.versions.node): void {
  if (version === supported) return;
  if (isAtLeast(version, LEAST_NODE)) {
    supported = version;
    return;
  }
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
