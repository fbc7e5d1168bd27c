import type { ValidationIssue } from '@x/errors';
import type { LinearPattern } from './linear-pattern.ts';
import type { AnySchema, SchemaObject } from './node.ts';

/** A schema with its own identity: the whole document, or a part with an `$id`. */
export interface Resource {
  readonly uri: string;
  readonly root: SchemaObject;
  /** By the name of `$anchor` and `$dynamicAnchor`. */
  readonly anchors: Map<string, SchemaObject>;
  readonly dynamicAnchors: Map<string, SchemaObject>;
}

/** All schemas, with the resource of each. */
export interface SchemaDocument {
  readonly resources: Map<string, Resource>;
  /** By their source; undefined for one that cannot be evaluated here. */
  readonly patterns: Map<string, LinearPattern | undefined>;
  /** Every keyword in any of the schemas. */
  readonly keywords: Set<string>;
  readonly places: Map<SchemaObject, { readonly resource: Resource; readonly pointer: string }>;
  /** Schemas with an invalid default, which is not filled in. */
  readonly unfit: Set<SchemaObject>;
  /** Parts that are not evaluated as written. */
  readonly notes: ValidationIssue[];
}

/** The base of a schema without an `$id`. */
export const NO_URI = 'schema:/';

/** The target of a reference, or the reason why there is none. */
export function resolveReference(
  reference: string,
  from: Resource,
  document: SchemaDocument,
): { readonly schema: AnySchema; readonly resource: Resource } | string {
  const parts = partsOf(reference, from);
  if (!parts) return 'is not a URI reference';
  const resource = document.resources.get(parts.uri);
  if (!resource) return `leads out of the document, to ${parts.uri}; remote references are not loaded`;
  const { fragment } = parts;
  if (fragment !== '' && !fragment.startsWith('/')) {
    const schema = resource.anchors.get(fragment);
    return schema ? { schema, resource } : `names the anchor ${fragment}, which is not there`;
  }
  const schema = below(resource.root, fragment);
  if (typeof schema === 'boolean') return { schema, resource };
  const place = document.places.get(schema as SchemaObject);
  return place
    ? { schema: schema as SchemaObject, resource: place.resource }
    : `leads to ${fragment}, where no schema is`;
}

function partsOf(reference: string, from: Resource): { readonly uri: string; readonly fragment: string } | undefined {
  const [relative = '', ...rest] = reference.split('#');
  const uri = relative === '' ? from.uri : absolute(relative, from.uri);
  try {
    return uri === undefined ? undefined : { uri, fragment: decodeURIComponent(rest.join('#')) };
  } catch {
    return undefined;
  }
}

/** A URI reference resolved against its base; undefined for an invalid one. */
export function absolute(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href.replace(/#$/, '');
  } catch {
    return undefined;
  }
}

function below(root: unknown, pointer: string): unknown {
  let value = root;
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
