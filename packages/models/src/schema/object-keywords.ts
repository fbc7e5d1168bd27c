import { isRecord } from '@x/errors';
import { acceptsNull, orNull } from './or-null.ts';
import type { Place, Rewriter } from './rewriter.ts';
import { below, listOf, own, refusesAll, type SchemaNode } from './schema-node.ts';

/** Converts the keywords of an object: its properties, the required ones, and additional ones. */
export function objectKeywords(node: SchemaNode, place: Place, rewriter: Rewriter): SchemaNode {
  const { dialect, references } = rewriter;
  const { properties, closed } = dialect.exact ? closedProperties(node, place, rewriter) : openProperties(node);
  const wanted = new Set(listOf(own(node, 'required')));
  const sent: [string, SchemaNode][] = [];
  const required: string[] = [];
  for (const [name, schema] of properties) {
    const optional = !wanted.delete(name);
    if (optional && refusesAll(schema)) continue;
    const release = () => void required.splice(required.indexOf(name), 1);
    const property = optional || place.property === 'optional' ? 'optional' : { name, release };
    const pointer = below(place.pointer, 'properties', name);
    const value = rewriter.node(schema, { ...place, pointer, depth: place.depth + 1, property });
    const nullable = optional && dialect.nullForAbsent && !acceptsNull(schema, references, pointer);
    sent.push([name, nullable ? orNull(value) : value]);
    if (!optional || dialect.nullForAbsent) required.push(name);
  }
  if (dialect.exact) {
    for (const name of wanted)
      throw rewriter.refusal(place, 'required', `asks for ${String(name)}, which properties do not describe`);
  }
  const rest = own(node, 'additionalProperties');
  return {
    ...(sent.length === 0 && !dialect.exact ? {} : { properties: Object.fromEntries(sent) }),
    ...(required.length === 0 && !dialect.exact ? {} : { required }),
    ...(closed ? { additionalProperties: false } : {}),
    ...(!closed && rest !== undefined ? { additionalProperties: additional(rest, place, rewriter) } : {}),
  };
}

type Properties = readonly (readonly [name: string, schema: unknown])[];

/** The allowed property names, if the schema lists them. */
export function listedNames(node: SchemaNode): readonly string[] | undefined {
  const names = own(node, 'propertyNames');
  const list = isRecord(names) ? own(names, 'enum') : undefined;
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : undefined;
}

/** The described properties, and those listed by name alone. */
function openProperties(node: SchemaNode): { properties: Properties; closed: boolean } {
  const described = own(node, 'properties');
  const properties: Properties = isRecord(described) ? Object.entries(described) : [];
  const rest = own(node, 'additionalProperties');
  if (rest === undefined || refusesAll(rest)) return { properties, closed: false };
  const known = new Set(properties.map(([name]) => name));
  const listed = (listedNames(node) ?? []).filter((name) => !known.has(name));
  return { properties: [...properties, ...listed.map((name) => [name, rest] as const)], closed: false };
}

/** Treats an object that does not mention other properties as closed. */
function closedProperties(
  node: SchemaNode,
  place: Place,
  rewriter: Rewriter,
): { properties: Properties; closed: boolean } {
  const rest = own(node, 'additionalProperties');
  if (rest !== undefined && !refusesAll(rest) && !listedNames(node)) {
    throw rewriter.refusal(place, 'additionalProperties', 'lets the object hold anything by any name');
  }
  return { ...openProperties(node), closed: true };
}

function additional(rest: unknown, place: Place, rewriter: Rewriter): unknown {
  if (typeof rest === 'boolean') return rest;
  if (refusesAll(rest)) return false;
  const pointer = below(place.pointer, 'additionalProperties');
  return rewriter.node(rest, { ...place, pointer, depth: place.depth + 1, property: 'optional' });
}
