import type { SandboxPolicy } from '../driver/driver.ts';
import { isBelow } from './is-below.ts';
import { SandboxRefusal } from './sandbox-refusal.ts';

/** What every contained command can read, too. */
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/etc'];

/** The paths of a policy, for doors that run outside of the wall; real paths only. */
export interface PathPolicy {
  /** `isOpen`: it lies outside, and may be read all the same. @throws AuthorizationError naming the setting */
  checkRead(real: string, spelled: string, isOpen?: boolean): void;
  /** @throws AuthorizationError naming the setting */
  checkWrite(real: string, spelled: string): void;
}

/** True for what commands can read, too, as far as it is not hidden. */
export function isReadable({ root, files }: SandboxPolicy, real: string): boolean {
  return isIn(real, [root, ...files.write, ...files.read, ...SYSTEM]);
}

export function pathPolicy(policy: SandboxPolicy): PathPolicy {
  const { root, files } = policy;
  const writable = [root, ...files.write];
  const shown = (real: string, spelled: string) => (real === spelled ? real : `${spelled} (${real})`);
  return {
    checkRead(real, spelled, isOpen = false) {
      if (isIn(real, files.hidden))
        throw refused(`${shown(real, spelled)} is hidden by the sandbox`, { field: 'denyRead', real });
      if (!isOpen && !isReadable(policy, real))
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

function isIn(path: string, places: readonly string[]): boolean {
  return places.some((place) => isBelow(path, place));
}

function refused(what: string, { field, real }: { readonly field: string; readonly real: string }): SandboxRefusal {
  return new SandboxRefusal(`${what} (sandbox.filesystem.${field})`, { kind: 'file', detail: real });
}
