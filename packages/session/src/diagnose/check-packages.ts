import type { Finding } from './diagnosis.ts';
import { type OwnPackage, ownPackage } from './own-package.ts';

/** Checks that the versions of the SDK's packages match. */
export function checkPackages(own: OwnPackage | undefined = ownPackage()): Finding {
  if (!own) return { status: 'ok', detail: 'the SDK was bundled; its versions are not known' };
  const odd = Object.entries(own.others).filter(([, version]) => version !== own.version);
  const detail = `@x/session ${own.version}`;
  if (odd.length === 0)
    return { status: 'ok', detail: `${detail}, and ${Object.keys(own.others).length} packages of the same version` };
  const told = odd.map(([name, version = 'not found']) => `${name} ${version}`).join(', ');
  return {
    status: 'warning',
    detail: `${detail}, but ${told}`,
    hint: 'Install all packages of the SDK in one version',
  };
}
