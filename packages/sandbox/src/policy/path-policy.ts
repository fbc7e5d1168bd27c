import { AuthorizationError } from '@x/core';
import type { SandboxPolicy } from '../driver/driver.ts';
import { isBelow } from './is-below.ts';

/** What every contained command can read, too. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc'];

/** The paths of a policy, for doors that run outside of the wall; real paths only. */
export interface PathPolicy {
  /** @throws AuthorizationError naming the setting */
  checkRead(real: string, spelled: string): void;
  /** @throws AuthorizationError naming the setting */
  checkWrite(real: string, spelled: string): void;
}

export function pathPolicy({ root, files }: SandboxPolicy): PathPolicy {
  const writable = [root, ...files.write];
  const readable = [...writable, ...files.read, ...SYSTEM];
  const isIn = (path: string, places: readonly string[]) => places.some((place) => isBelow(path, place));
  const shown = (real: string, spelled: string) => (real === spelled ? real : `${spelled} (${real})`);
  return {
    checkRead(real, spelled) {
      if (isIn(real, files.hidden)) throw refused(`${shown(real, spelled)} is hidden by the sandbox`, 'denyRead');
      if (!isIn(real, readable)) throw refused(`${shown(real, spelled)} lies outside of the sandbox`, 'allowRead');
    },
    checkWrite(real, spelled) {
      if (isIn(real, files.hidden)) throw refused(`${shown(real, spelled)} is hidden by the sandbox`, 'denyRead');
      if (isIn(real, files.readOnly))
        throw refused(`${shown(real, spelled)} stays as it is in the sandbox`, 'denyWrite');
      if (!isIn(real, writable)) throw refused(`${shown(real, spelled)} lies outside of the sandbox`, 'allowWrite');
    },
  };
}

function refused(what: string, field: string): AuthorizationError {
  return new AuthorizationError(`${what} (sandbox.filesystem.${field})`);
}
