import type { SandboxPolicy } from '../driver/driver.ts';
import { isBelow } from './is-below.ts';
import { SandboxRefusal } from './sandbox-refusal.ts';

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
      if (isIn(real, files.hidden))
        throw refused(`${shown(real, spelled)} is hidden by the sandbox`, { field: 'denyRead', real });
      if (!isIn(real, readable))
        throw refused(`${shown(real, spelled)} lies outside of the sandbox`, { field: 'allowRead', real });
    },
    checkWrite(real, spelled) {
      if (isIn(real, files.hidden))
        throw refused(`${shown(real, spelled)} is hidden by the sandbox`, { field: 'denyRead', real });
      if (isIn(real, files.readOnly))
        throw refused(`${shown(real, spelled)} stays as it is in the sandbox`, { field: 'denyWrite', real });
      if (!isIn(real, writable))
        throw refused(`${shown(real, spelled)} lies outside of the sandbox`, { field: 'allowWrite', real });
    },
  };
}

function refused(what: string, { field, real }: { readonly field: string; readonly real: string }): SandboxRefusal {
  return new SandboxRefusal(`${what} (sandbox.filesystem.${field})`, { kind: 'file', detail: real });
}
