import { readFileSync } from 'node:fs';

const NAME = '@x/session';
/** What all packages of the SDK are called. */
const PREFIX = '@x/';

/** What the manifests of the SDK say. */
export interface OwnPackage {
  readonly version: string;
  /** The range of Node that is needed. */
  readonly node: string | undefined;
  /** The packages of the SDK that this one uses, each with its version; undefined when it is not found. */
  readonly others: Readonly<Record<string, string | undefined>>;
}
interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly engines?: { readonly node?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** This package as it is installed; undefined when it was bundled into something else, or Node is too old to say. */
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
