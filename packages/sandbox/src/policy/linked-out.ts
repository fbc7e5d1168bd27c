import { lstatSync, readlinkSync } from 'node:fs';
import { dirname, join, parse, resolve, sep } from 'node:path';
import type { SandboxPolicy } from '../driver/driver.ts';
import { isBelow } from './is-below.ts';
import { isReadable } from './path-policy.ts';

/** A path of a call, as spelled and with its links resolved; both absolute. */
export interface LinkedPath {
  readonly spelled: string;
  readonly resolved: string;
}

/** More links than a path may lead through (path_resolution(7)). */
const MOST_LINKS = 40;

/**
 * The places outside of the sandbox that paths inside of it lead to by links not younger than `since` (ms since 1970): the user has made them, for
 * no command could set the time of their last change back.
 */
export function linkedOut(paths: readonly LinkedPath[], policy: SandboxPolicy, since: number): readonly string[] {
  const writable = [policy.root, ...policy.files.write];
  return paths.flatMap(({ spelled, resolved }) => {
    if (isReadable(policy, resolved) || !writable.some((root) => isBelow(spelled, root))) return [];
    if (policy.files.hidden.some((hidden) => isBelow(resolved, hidden))) return [];
    return isOfUser(spelled, writable, since) ? [resolved] : [];
  });
}

/** Walks the path; links outside of the writable directories cannot be an agent's. */
function isOfUser(path: string, writable: readonly string[], since: number): boolean {
  let [at, left] = [parse(path).root, path.split(sep)];
  for (let links = 0; left.length > 0; ) {
    const [name = '', ...rest] = left;
    const next = join(at, name);
    left = rest;
    const facts = lstatSync(next, { throwIfNoEntry: false });
    if (!facts?.isSymbolicLink()) {
      at = next;
      continue;
    }
    if (Math.floor(facts.ctimeMs) > since && writable.some((root) => isBelow(next, root))) return false;
    if (++links > MOST_LINKS) return false;
    const target = resolve(dirname(next), readlinkSync(next));
    [at, left] = [parse(target).root, [...target.split(sep), ...rest]];
  }
  return true;
}
