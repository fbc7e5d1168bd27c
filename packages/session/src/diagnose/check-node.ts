import { isAtLeast, LEAST_NODE } from '../host/node-version.ts';
import type { Finding } from './diagnosis.ts';
import { ownPackage } from './own-package.ts';

/** Checks the version of Node against the range that the package needs. */
export function checkNode(
  version: string = process.versions.node,
  needed: string = ownPackage()?.node ?? `>=${LEAST_NODE}`,
): Finding {
  const detail = `Node ${version} on ${process.platform} ${process.arch}`;
  if (isAtLeast(version, needed.replace(/^>=\s*/, ''))) return { status: 'ok', detail };
  return {
    status: 'failed',
    detail: `${detail}; needed is ${needed}`,
    hint: 'Install a current Node: https://nodejs.org',
  };
}
