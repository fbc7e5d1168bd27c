import { isRecord, issuesError, messageOf, nearestName, pointerPart, type ValidationIssue } from '@x/errors';
import { endlessReferences } from './endless-references.ts';
import { FOREIGN, KEYWORDS, NEEDS, type Shape } from './keywords.ts';
import { linearPattern } from './linear-pattern.ts';
import type { AnySchema, SchemaObject } from './node.ts';
import type { Reading } from './older-drafts.ts';
import { absolute, NO_URI, type Resource, resolveReference, type SchemaDocument } from './resources.ts';
import { faultOf, unknownFormat } from './shapes.ts';

/** Maximum number of reported faults; more would not be read. */
const MAX_FAULTS = 100;
/** Shapes of keywords that only annotate. */
const ANNOTATIONS: ReadonlySet<Shape | undefined> = new Set(['text', 'list', 'flag']);

/**
 * Walks over a schema, finds its resources and anchors, and checks each keyword. In a `foreign` one, problems that change no result except
 * by a refusal are noted, 100 notes at most.
 * @throws ValidationError with the faults, 100 at most, each with the JSON pointer of its keyword
 */
export function inspect({ schema, given, idle }: Reading, foreign: boolean): SchemaDocument {
  const inspection: Inspection = {
    resources: new Map(),
    places: new Map(),
    patterns: new Map(),
    keywords: new Set(),
    unfit: new Set(),
    faults: foreign ? [] : [...idle],
    notes: foreign ? [...idle] : [],
    references: [],
    given,
    foreign,
  };
  if (isRecord(schema)) {
    const uri = uriOf(schema, '', NO_URI, inspection) ?? NO_URI;
    visit(schema, '', newResource(uri, schema, '', inspection), inspection);
  } else if (typeof schema !== 'boolean') tell(inspection, '', 'must be a schema: an object, true or false');
  for (const { reference, from, pointer } of inspection.references) {
    const target = resolveReference(reference, from, inspection);
    if (typeof target === 'string') tell(inspection, pointer, `${JSON.stringify(reference)} ${target}`);
  }
  if (inspection.faults.length === 0) {
    for (const pointer of endlessReferences(inspection)) tell(inspection, pointer, 'leads back to itself without end');
  }
  if (inspection.faults.length > 0) throw issuesError(inspection.faults);
  return inspection;
}

interface Inspection extends SchemaDocument {
  readonly faults: ValidationIssue[];
  readonly given: Reading['given'];
  readonly foreign: boolean;
  readonly references: { readonly reference: string; readonly from: Resource; readonly pointer: string }[];
}

function tell({ faults }: Inspection, pointer: string, text: string): void {
  if (faults.length >= MAX_FAULTS) return;
  faults.push({ path: pointer, message: `JSON Schema: ${pointer === '' ? 'the whole' : pointer} ${text}` });
}

/** Reports a fault that is no reason to refuse a foreign schema. */
function tellMild(inspection: Inspection, pointer: string, text: string): void {
  const { notes: faults, foreign } = inspection;
  tell(foreign ? { ...inspection, faults } : inspection, pointer, text);
}

function newResource(uri: string, root: SchemaObject, pointer: string, inspection: Inspection): Resource {
  const resource: Resource = { uri, root, anchors: new Map(), dynamicAnchors: new Map() };
  if (inspection.resources.has(uri)) tell(inspection, `${pointer}/$id`, 'is the $id of two schemas');
  inspection.resources.set(uri, resource);
  return resource;
}

function visit(schema: AnySchema, walked: string, outer: Resource, inspection: Inspection): void {
  if (typeof schema === 'boolean') return;
  const pointer = inspection.given.get(schema) ?? walked;
  const resource = resourceOf(schema, pointer, outer, inspection);
  inspection.places.set(schema, { resource, pointer });
  for (const [keyword, value] of Object.entries(schema)) {
    if (inspection.faults.length >= MAX_FAULTS) return;
    const at = `${pointer}/${pointerPart(keyword)}`;
    const shape = KEYWORDS.get(keyword);
    inspection.keywords.add(keyword);
    const malformed = shape && faultUnder(keyword, shape, value);
    if (malformed !== undefined) {
      (ANNOTATIONS.has(shape) ? tellMild : tell)(inspection, at, malformed);
      continue;
    }
    const unusable = shape ? unusableUnder(shape, value, inspection) : unknownKeyword(keyword);
    if (unusable !== undefined) tellMild(inspection, at, unusable);
    if (shape) visitBelow(shape, value, at, resource, inspection);
    if (shape === 'reference') {
      inspection.references.push({ reference: value as string, from: resource, pointer: at });
    }
  }
  lonely(schema, pointer, inspection);
  addAnchors(schema, pointer, resource, inspection);
}

function resourceOf(schema: SchemaObject, pointer: string, outer: Resource, inspection: Inspection): Resource {
  const uri = pointer === '' ? undefined : uriOf(schema, pointer, outer.uri, inspection);
  return uri === undefined ? outer : newResource(uri, schema, pointer, inspection);
}

function uriOf(schema: SchemaObject, pointer: string, base: string, inspection: Inspection): string | undefined {
  const id = schema['$id'];
  if (typeof id !== 'string') return undefined;
  const uri = absolute(id, base);
  if (uri === undefined)
    tell(inspection, `${pointer}/$id`, `makes no URI${base === NO_URI ? '' : ` from ${base}`}; give an absolute one`);
  return uri;
}

function unknownKeyword(keyword: string): string {
  const instead = FOREIGN.get(keyword);
  if (instead !== undefined) return `is not known: ${instead}`;
  const nearest = nearestName(keyword, [...KEYWORDS.keys()]);
  return `is not a keyword of JSON Schema 2020-12${nearest === undefined ? '' : `; did you mean ${nearest}?`}`;
}

function faultUnder(keyword: string, shape: Shape, value: unknown): string | undefined {
  if (keyword === 'items' && Array.isArray(value)) return 'must be a schema; a list of them is prefixItems in 2020-12';
  return faultOf(shape, value);
}

/** The reason why a well-formed keyword cannot be evaluated here. */
function unusableUnder(shape: Shape, value: unknown, { patterns }: Inspection): string | undefined {
  if (shape === 'format') return unknownFormat(value as string);
  const sources = shape === 'pattern' ? [value as string] : shape === 'patternMap' ? Object.keys(value as object) : [];
  return sources.map((source) => patternFault(source, patterns)).find((one) => one !== undefined);
}

function patternFault(source: string, patterns: SchemaDocument['patterns']): string | undefined {
  try {
    if (!patterns.get(source)) patterns.set(source, linearPattern(source));
    return undefined;
  } catch (error) {
    patterns.set(source, undefined);
    return `is refused. ${messageOf(error)}`;
  }
}

function visitBelow(shape: Shape, value: unknown, at: string, resource: Resource, inspection: Inspection): void {
  if (shape === 'schema') visit(value as AnySchema, at, resource, inspection);
  else if (shape === 'schemas') {
    (value as AnySchema[]).forEach((one, index) => visit(one, `${at}/${index}`, resource, inspection));
  } else if (shape === 'schemaMap' || shape === 'patternMap' || shape === 'dependencies') {
    for (const [name, one] of Object.entries(value as Record<string, AnySchema>)) {
      if (!Array.isArray(one)) visit(one, `${at}/${pointerPart(name)}`, resource, inspection);
    }
  }
}

/** Reports keywords without effect, or that no value can satisfy. */
function lonely(schema: SchemaObject, pointer: string, inspection: Inspection): void {
  for (const [keyword, others] of NEEDS) {
    if (!Object.hasOwn(schema, keyword) || others.some((other) => Object.hasOwn(schema, other))) continue;
    tellMild(inspection, `${pointer}/${keyword}`, `does nothing without ${others.join(' or ')}`);
  }
  const { minContains = 1, maxContains } = schema as Record<string, number>;
  if (schema['contains'] === undefined) return;
  if (minContains === 0 && maxContains === undefined) {
    tellMild(inspection, `${pointer}/minContains`, 'of 0 without maxContains makes contains do nothing');
  }
  if (maxContains !== undefined && minContains > maxContains) {
    tellMild(inspection, `${pointer}/maxContains`, 'is below minContains');
  }
}

function addAnchors(schema: SchemaObject, pointer: string, resource: Resource, inspection: Inspection): void {
  for (const keyword of ['$anchor', '$dynamicAnchor']) {
    const name = schema[keyword];
    if (typeof name !== 'string') continue;
    const known = resource.anchors.get(name);
    if (known && known !== schema) tell(inspection, `${pointer}/${keyword}`, `${name} is the anchor of two schemas`);
    resource.anchors.set(name, schema);
    if (keyword === '$dynamicAnchor') resource.dynamicAnchors.set(name, schema);
  }
}
