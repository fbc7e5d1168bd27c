import { isRecord } from '@x/errors';
import { CONSTRAINTS, type Dialect, SHAPES, TYPE_OF_KEYWORD } from './dialect.ts';
import { listedNames, objectKeywords } from './object-keywords.ts';
import type { Place, Rewriter } from './rewriter.ts';
import { below, described, keywordsOf, own, refusesAll, type SchemaNode, saysNothing, typesOf } from './schema-node.ts';

/** Look-around and back-references, which no service accepts. */
const NOT_LINEAR = /\(\?<?[=!]|\\[1-9]|\\k</;

/** The types that a node names, or that its keywords apply to; undefined for any type. */
export function typesMeant(node: SchemaNode): readonly string[] | undefined {
  const named = typesOf(node);
  if (named) return named;
  const meant = new Set(keywordsOf(node).flatMap((keyword) => TYPE_OF_KEYWORD.get(keyword) ?? []));
  return meant.size === 1 ? [...meant] : undefined;
}

export function isCompound(type: string): boolean {
  return type === 'object' || type === 'array';
}

/** Converts a node that is neither a reference, nor a union, nor a list of values. */
export function typedNode(
  node: SchemaNode,
  types: readonly string[] | undefined,
  place: Place,
  rewriter: Rewriter,
): SchemaNode {
  const { dialect } = rewriter;
  if (!types && dialect.exact) throw rewriter.refusal(place, 'type', 'is missing, so that any value will do');
  const words: [string, unknown][] = [];
  const constraints: Record<string, unknown> = {};
  for (const keyword of keywordsOf(node)) {
    if (!concerns(keyword, types) || isHarmless(keyword, node)) continue;
    if (CONSTRAINTS.has(keyword)) {
      if (!sendConstraint(keyword, node[keyword], { constraints, dialect })) words.push([keyword, node[keyword]]);
    } else if (SHAPES.has(keyword) && !isRewritten(keyword, node, dialect)) {
      if (keyword === 'propertyNames' || !dialect.exact) words.push([keyword, node[keyword]]);
      else throw rewriter.refusal(place, keyword, 'is used');
    }
  }
  // vendors write both, and the format is shorter
  const told = constraints['format'] === undefined ? words : words.filter(([keyword]) => keyword !== 'pattern');
  const isObject = types?.includes('object') === true;
  const isArray = types?.includes('array') === true;
  return {
    ...described(node, told),
    ...(types ? { type: types.length === 1 ? types[0] : types } : {}),
    ...(isObject || (!types && own(node, 'properties') !== undefined) ? objectKeywords(node, place, rewriter) : {}),
    ...(isArray || (!types && own(node, 'items') !== undefined) ? arrayKeywords(node, place, rewriter) : {}),
    ...constraints,
  };
}

/** True when a keyword applies to values of these types. */
function concerns(keyword: string, types: readonly string[] | undefined): boolean {
  const about = TYPE_OF_KEYWORD.get(keyword);
  if (about === undefined || !types) return true;
  return types.includes(about) || (about === 'number' && types.includes('integer'));
}

/** True for shapes that are not sent themselves, but were converted. */
function isRewritten(keyword: string, node: SchemaNode, { exact }: Dialect): boolean {
  if (keyword === 'prefixItems') return !exact;
  return (
    keyword === 'propertyNames' && listedNames(node) !== undefined && own(node, 'additionalProperties') !== undefined
  );
}

/** True for keywords without an effect. */
function isHarmless(keyword: string, node: SchemaNode): boolean {
  const value = node[keyword];
  if (keyword === 'unevaluatedProperties' || keyword === 'unevaluatedItems') return value === true || refusesAll(value);
  if (keyword === 'uniqueItems') return value === false;
  if (keyword === 'propertyNames') return saysNothing(value) || isPlainString(value);
  if (keyword === 'minLength' || keyword === 'minItems' || keyword === 'minProperties') return value === 0;
  return (keyword === 'then' || keyword === 'else') && own(node, 'if') === undefined;
}

/** True for the schema of any string, as property names are. */
function isPlainString(schema: unknown): boolean {
  return isRecord(schema) && keywordsOf(schema).length === 1 && schema['type'] === 'string';
}

/** Sends the constraint if the dialect has it; true when it is complete. */
function sendConstraint(
  keyword: string,
  value: unknown,
  { constraints, dialect }: { constraints: Record<string, unknown>; dialect: Dialect },
): boolean {
  if (!dialect.constraints.has(keyword)) return false;
  if (keyword === 'format' && dialect.formats?.has(String(value)) === false) return false;
  if (keyword === 'pattern' && NOT_LINEAR.test(String(value))) return false;
  if (keyword === 'minItems' && dialect.mostMinItems !== undefined && Number(value) > dialect.mostMinItems) {
    constraints[keyword] = dialect.mostMinItems;
    return false;
  }
  constraints[keyword] = value;
  return true;
}

function arrayKeywords(node: SchemaNode, place: Place, rewriter: Rewriter): SchemaNode {
  const [items, prefixItems] = [own(node, 'items'), own(node, 'prefixItems')];
  const at = (...steps: (string | number)[]) => {
    return { ...place, pointer: below(place.pointer, ...steps), depth: place.depth + 1 };
  };
  if (rewriter.dialect.exact) {
    if (items === undefined) throw rewriter.refusal(place, 'items', 'is missing, so that any item will do');
    if (Array.isArray(items)) throw rewriter.refusal(place, 'items', 'lists items one by one');
    return { items: rewriter.node(items, at('items')) };
  }
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  const keyword = tuple === items ? 'items' : 'prefixItems';
  const closed = tuple !== undefined && refusesAll(items) && own(node, 'maxItems') === undefined;
  return {
    ...(tuple ? { prefixItems: tuple.map((item, index) => rewriter.node(item, at(keyword, index))) } : {}),
    ...(items === undefined || tuple === items || refusesAll(items)
      ? {}
      : { items: rewriter.node(items, at('items')) }),
    ...(closed || (!tuple && refusesAll(items)) ? { maxItems: tuple?.length ?? 0 } : {}),
  };
}
