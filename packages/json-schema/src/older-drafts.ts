import { isRecord, pointerPart, type ValidationIssue } from '@x/errors';
import { KEYWORDS, type Shape } from './keywords.ts';
import type { AnySchema, SchemaObject } from './node.ts';
import { put } from './plain-copy.ts';

/** A schema converted to 2020-12. */
export interface Reading {
  readonly schema: AnySchema;
  /** The original pointer of each converted schema. */
  readonly given: ReadonlyMap<SchemaObject, string>;
  /** Keywords without a meaning by the rules of its draft. */
  readonly idle: readonly ValidationIssue[];
}

const LATEST = 2020;
const MOST_TOLD = 100;
const NAMED = /^https?:\/\/json-schema\.org\/(?:draft-0([467])|draft\/(2019|2020)-\d\d)\/schema#?$/;
/** The anchor that `$recursiveAnchor` becomes. */
const RECURSIVE = '__recursive';
/** Keywords with a meaning next to a `$ref` in draft-07 and older: targets of references, and annotations. */
const BESIDE_REF = new Set(
  '$ref $schema definitions $defs $comment title description default examples deprecated readOnly writeOnly'.split(' '),
);

/**
 * Converts a schema from the draft that its `$schema` names: 04, 06, 07 and 2019-09 to 2020-12. `definitions` and `dependencies` stay, as
 * they are supported. With `foreign`, spellings of older drafts or OpenAPI 3.0 are accepted without `$schema` too. Malformed keywords are
 * left to `inspect`.
 */
export function inLatestDraft(schema: AnySchema, foreign: boolean): Reading {
  const given = new Map<SchemaObject, string>();
  const idle: ValidationIssue[] = [];
  if (!isRecord(schema) || (!foreign && (draftOf(schema) ?? LATEST) === LATEST)) return { schema, given, idle };
  const rewritten = rewrite(schema, { pointer: '', draft: LATEST, root: schema, foreign, given, idle });
  return { schema: rewritten, given, idle };
}

interface Place {
  readonly pointer: string;
  readonly draft: number;
  /** The target of `#` here. */
  readonly root: SchemaObject;
  readonly foreign: boolean;
  readonly given: Map<SchemaObject, string>;
  readonly idle: ValidationIssue[];
}

function draftOf(schema: SchemaObject): number | undefined {
  const [, old, late] = NAMED.exec(String(schema['$schema'])) ?? [];
  return old === undefined && late === undefined ? undefined : Number(old ?? late);
}

function rewrite(value: unknown, outer: Place): AnySchema {
  if (!isRecord(value)) return value as AnySchema; // a boolean, or malformed
  const draft = draftOf(value) ?? outer.draft;
  const root = identityOf(value, draft) === undefined ? outer.root : value;
  const place = { ...outer, draft, root };
  const copy: Record<string, unknown> = {};
  for (const keyword of Object.keys(value)) {
    const pointer = `${outer.pointer}/${pointerPart(keyword)}`;
    for (const [name, read] of renamed(keyword, value, place)) {
      put(copy, name, below(KEYWORDS.get(name), read, { ...place, pointer }));
    }
  }
  place.given.set(copy, outer.pointer);
  return Object.freeze(copy);
}

/** The `$id` (draft-04: `id`) that makes a schema a document of its own; ignored next to a `$ref`. */
function identityOf(schema: SchemaObject, draft: number): string | undefined {
  const id = schema[draft === 4 ? 'id' : '$id'];
  return typeof id !== 'string' || id.startsWith('#') || hidesOthers(schema, draft) ? undefined : id;
}

/** True when a `$ref` makes all other keywords irrelevant. */
function hidesOthers(schema: SchemaObject, draft: number): boolean {
  return draft <= 7 && Object.hasOwn(schema, '$ref');
}

function below(shape: Shape | undefined, value: unknown, place: Place): unknown {
  const at = (key: string | number) => ({ ...place, pointer: `${place.pointer}/${pointerPart(String(key))}` });
  if (shape === 'schema') return rewrite(value, place);
  if (shape === 'schemas' && Array.isArray(value)) {
    return Object.freeze(value.map((one, index) => rewrite(one, at(index))));
  }
  if ((shape !== 'schemaMap' && shape !== 'patternMap' && shape !== 'dependencies') || !isRecord(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [name, one] of Object.entries(value)) put(copy, name, rewrite(one, at(name)));
  return Object.freeze(copy);
}

type Entries = readonly (readonly [keyword: string, value: unknown])[];

/** The 2020-12 form of a keyword. */
function renamed(keyword: string, schema: SchemaObject, place: Place): Entries {
  const { draft, root, foreign } = place;
  const value = schema[keyword];
  const same: Entries = [[keyword, value]];
  if (hidesOthers(schema, draft) && !BESIDE_REF.has(keyword)) {
    const isIdentity = keyword === (draft === 4 ? 'id' : '$id');
    if (isIdentity) return place.pointer === '' ? identity(value) : [];
    tellIdle(keyword, 'does nothing next to $ref in draft-07 and older; put $ref into allOf', place);
    return [];
  }
  if (keyword === '$schema') return draftOf(schema) === undefined || draft === LATEST ? same : [];
  if (keyword === '$ref') return [[keyword, typeof value === 'string' ? movedReference(value, root) : value]];
  if (keyword === '$recursiveRef' && draft === 2019) {
    return [['$dynamicRef', root['$recursiveAnchor'] === true ? `#${RECURSIVE}` : value]];
  }
  if (keyword === '$recursiveAnchor' && draft === 2019) {
    return value === true && schema === root ? [['$dynamicAnchor', RECURSIVE]] : [];
  }
  if (keyword === 'id' && draft === 4) return identity(value);
  if (keyword === '$id' && (draft <= 7 || foreign)) return identity(value);
  const isOld = draft < LATEST || foreign;
  if (keyword === 'items' && isOld && Array.isArray(value)) return value.length === 0 ? [] : [['prefixItems', value]];
  if (keyword === 'additionalItems' && isOld && Array.isArray(schema['items'])) return [['items', value]];
  return draft === 4 || foreign ? bound(keyword, schema, place) : same;
}

/** Converts an identity; a fragment in it is an anchor. */
function identity(value: unknown): Entries {
  if (typeof value !== 'string') return [['$id', value]];
  const [uri = '', anchor = ''] = value.split('#');
  return [...(uri === '' ? [] : ([['$id', uri]] as const)), ...(anchor === '' ? [] : ([['$anchor', anchor]] as const))];
}

/** Bounds of draft-04 and OpenAPI 3.0, where `exclusiveMinimum: true` modifies `minimum`. */
function bound(keyword: string, schema: SchemaObject, place: Place): Entries {
  const value = schema[keyword];
  for (const [inclusive, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (keyword === inclusive && schema[exclusive] === true) return [];
    if (keyword !== exclusive || typeof value !== 'boolean') continue;
    if (place.foreign && place.draft !== 4) tellIdle(keyword, `is read as draft-04 and OpenAPI 3.0 mean it`, place);
    if (value && schema[inclusive] === undefined) tellIdle(keyword, `does nothing without ${inclusive}`, place);
    return value && schema[inclusive] !== undefined ? [[exclusive, schema[inclusive]]] : [];
  }
  return [[keyword, value]];
}

function tellIdle(keyword: string, text: string, { pointer, idle }: Place): void {
  if (idle.length === MOST_TOLD) return;
  const path = `${pointer}/${pointerPart(keyword)}`;
  idle.push({ path, message: `JSON Schema: ${path} ${text}` });
}

/** A reference by a JSON pointer below `root`, changed to the new position of its target. */
function movedReference(reference: string, root: SchemaObject): string {
  if (!reference.startsWith('#/')) return reference;
  let [value, shape]: [unknown, Shape | undefined] = [root, 'schema'];
  const parts = reference
    .slice(2)
    .split('/')
    .map((part) => {
      const holder = value;
      const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
      value = isRecord(holder) || Array.isArray(holder) ? (holder as SchemaObject)[name] : undefined;
      if (shape !== 'schema') {
        shape = 'schema';
        return part;
      }
      const isList = isRecord(holder) && Array.isArray(holder['items']);
      const now = !isList ? name : name === 'items' ? 'prefixItems' : name === 'additionalItems' ? 'items' : name;
      shape = KEYWORDS.get(now);
      return now === name ? part : now;
    });
  return `#/${parts.join('/')}`;
}
