import type { Finding } from './diagnosis.ts';
import { ownPackage } from './own-package.ts';

/** Used where the package cannot be found, because the host has bundled it. */
const NEEDED = '>=22.18';

/** The version of Node against the one that the package asks for. */
export function checkNode(
  version: string = process.versions.node,
  needed: string = ownPackage()?.node ?? NEEDED,
): Finding {
  const detail = `Node ${version} on ${process.platform} ${process.arch}`;
  if (isAtLeast(version, needed.replace(/^>=\s*/, ''))) return { status: 'ok', detail };
  return {
    status: 'failed',
    detail: `${detail}; needed is ${needed}`,
    hint: 'Install a current Node: https://nodejs.org',
  };
}

function isAtLeast(version: string, least: string): boolean {
  const [has, needs] = [version, least].map((text) => text.split('.').map((part) => Number.parseInt(part, 10)));
  for (const [index, part] of needs!.entries()) {
    const own = has![index] ?? 0; // both texts were given
    if (own !== part) return own > part;
  }
  return true;
}
