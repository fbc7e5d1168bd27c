import { readFileSync } from 'node:fs';

const NAME = '@x/session';
/** The name prefix of all packages of the SDK. */
const PREFIX = '@x/';

/** Versions from the manifests of the SDK. */
export interface OwnPackage {
  readonly version: string;
  /** The required range of Node. */
  readonly node: string | undefined;
  /** Versions of the SDK's packages that this one uses; undefined for one that is not found. */
  readonly others: Readonly<Record<string, string | undefined>>;
}
interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** This package as installed; undefined when it was bundled into something else, or Node is too old to find it. */
export function ownPackage(): OwnPackage | undefined {
  const own = manifestOf('..');
  if (own?.name !== NAME || own.version === undefined) return undefined;
  const names = Object.keys(own.dependencies ?? {}).filter((name) => name.startsWith(PREFIX));
  return {
    version: own.version,
    node: own.engines?.node,
    others: Object.fromEntries(names.map((name) => [name, manifestOf(name)?.version])),
  };
}

function manifestOf(specifier: string): Manifest | undefined {
  try {
    const { findPackageJSON } = process.getBuiltinModule('node:module'); // neither is in every Node that may be asked
    const path = findPackageJSON(specifier, import.meta.url);
    return path === undefined ? undefined : (JSON.parse(readFileSync(path, 'utf8')) as Manifest); // a manifest of our own
  } catch {
    return undefined; // not installed where Node looks, or a Node that is too old: told as such
  }
}
