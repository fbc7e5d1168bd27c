import { type KeyVariable, keyVariables } from '@x/models/internal';
import { isAtLeast, LEAST_NODE } from '../host/node-version.ts';
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

/** The version of Node against the one that the package asks for. */
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

/** Before this was written no clock can be right. */
const EARLIEST = Date.UTC(2025, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/** Checks whether the clock can be right. Leases do not depend on it; certificates and the dates of a log do. */
export function checkClock(now: number = Date.now()): Finding {
  const detail = `it is ${new Date(now).toISOString()}`;
  if (now >= EARLIEST && now < LATEST) return { status: 'ok', detail };
  return { status: 'warning', detail, hint: 'Set the clock: services refuse a connection from another time' };
}

/** For which providers a key is set. A key itself is never told. */
export function checkProviders(variables: readonly KeyVariable[] = keyVariables()): Finding {
  const told = (state: KeyVariable['state']) => variables.filter((variable) => variable.state === state);
  const set = told('set').map(({ provider, variable }) => `${provider} (${variable})`);
  const odd = told('unusable').map(({ variable }) => variable);
  const detail = set.length === 0 ? 'no key of a provider is set' : `keys are set for ${set.join(', ')}`;
  if (odd.length > 0) {
    const hint = 'No key has such characters; look for quotes, spaces and line breaks in it';
    return { status: 'warning', detail: `${detail}; that in ${odd.join(', ')} cannot be one`, hint };
  }
  if (set.length > 0) return { status: 'ok', detail };
  const names = variables.map(({ variable }) => variable).join(', ');
  return { status: 'warning', detail, hint: `Set one of ${names}, or give provider.apiKey` };
}
