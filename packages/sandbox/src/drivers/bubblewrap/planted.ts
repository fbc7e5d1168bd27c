import { existsSync, readlinkSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import type { SandboxViolation } from '../../driver/driver.ts';
import { kindOf } from './kind-of.ts';
import type { ProtectedPlaces } from './protected-places.ts';

/**
 * Looks at the places that no wall can cover, before a command. The returned function is for afterwards: it undoes what the command has
 * planted there, and tells of it.
 */
export function watchPlaces({ links, unmade }: Pick<ProtectedPlaces, 'links' | 'unmade'>): () => SandboxViolation[] {
  const targets = links.map((link) => [link, readlinkSync(link)] as const);
  return () => [...targets.flatMap(([link, target]) => restored(link, target)), ...unmade.flatMap(removed)];
}

/** Puts a protected link back that was replaced, what is in its place aside, and tells of it. */
function restored(link: string, target: string): SandboxViolation[] {
  try {
    if (readlinkSync(link) === target) return [];
  } catch {
    // not a link any more
  }
  try {
    if (existsSync(link)) renameSync(link, `${link}.planted-${crypto.randomUUID().slice(0, 8)}`);
    symlinkSync(target, link);
  } catch {
    // told all the same
  }
  return [{ kind: 'file', detail: link }];
}

/** Removes what has come into being in a protected place, and tells of it. */
function removed(path: string): SandboxViolation[] {
  if (kindOf(path) === undefined) return [];
  rmSync(path, { recursive: true, force: true });
  return [{ kind: 'file', detail: path }];
}
