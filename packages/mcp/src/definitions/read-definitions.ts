import { messageOf } from '@x/core/internal';
import { isRecord } from '@x/errors';
import { type JsonSchema, jsonSchema, type Schema } from '@x/json-schema';
import type { McpLimits } from '../port/limits.ts';
import { cleanText, withCleanTexts } from './clean-text.ts';
import type { McpAnnotations, McpProblem, McpToolDefinition } from './definition.ts';
import { hashOf } from './hash.ts';
import { toolNameOf } from './tool-name.ts';

/** A tool that can be offered. */
export interface ReadTool {
  /** As the server has it. */
  readonly name: string;
  readonly toolName: string;
  readonly description: string;
  readonly schema: Schema;
  readonly annotations: McpAnnotations;
  /** Of name, description and schema as the server gave them. */
  readonly hash: string;
  /** The hash and the annotations: equal for what can be offered as the same tool. */
  readonly identity: string;
}
/** The tools of a list by name, and what is wrong with the others. */
export interface ReadTools {
  readonly tools: readonly ReadTool[];
  readonly problems: readonly McpProblem[];
}

/** A definition as it was read for one server and its limits, and what people are told about it. */
interface Reading {
  readonly place: string;
  readonly tool: ReadTool;
  readonly problems: readonly McpProblem[];
}

const MAX_NAME_LENGTH = 256;
/** By plain definition: the sessions of a process share those of the cache, and a schema takes a fifth of a millisecond. */
const hashes = new WeakMap<object, string>();
const readings = new WeakMap<object, Reading>();
/** By frozen list of plain definitions, of which the cache has one for each server. */
const listHashes = new WeakMap<object, string>();
const listReadings = new WeakMap<object, ReadTools & { readonly place: string }>();

/** Reads a server's list: a tool that is broken is left out, and so are those that would have one name. */
export function readDefinitions(
  serverName: string,
  definitions: readonly unknown[],
  limits: Required<McpLimits>,
): ReadTools {
  const place = JSON.stringify([serverName, limits.maxSchemaBytes, limits.maxDescriptionLength]);
  const before = listReadings.get(definitions);
  if (before?.place === place) return before;
  const read = { ...readAnew(serverName, definitions, limits, place), place };
  if (Object.isFrozen(definitions)) listReadings.set(definitions, read);
  return read;
}

function readAnew(
  serverName: string,
  definitions: readonly unknown[],
  limits: Required<McpLimits>,
  place: string,
): ReadTools {
  const problems: McpProblem[] = [];
  const read = definitions.flatMap((definition) => {
    try {
      const reading = readingOf(serverName, plainDefinition(definition), limits, place);
      problems.push(...reading.problems);
      return [reading.tool];
    } catch (error) {
      const name = shownName(isRecord(definition) ? definition['name'] : undefined);
      problems.push({ kind: 'left_out', name, message: `${name} is left out: ${messageOf(error).slice(0, 300)}` });
      return [];
    }
  });
  const byName = Map.groupBy(read, ({ toolName }) => toolName);
  const tools = [...byName].flatMap(([toolName, same]) => {
    if (same.length === 1) return same;
    const names = same.map(({ name }) => shownName(name));
    problems.push({
      kind: 'equal',
      name: names[0]!, // there are two at least
      message: `${names.slice(0, 5).join(', ')} are left out: all of them would be ${toolName}`,
    });
    return [];
  });
  return { tools: tools.toSorted((one, other) => (one.toolName < other.toolName ? -1 : 1)), problems };
}

/** The definition as plain data, without what else the server has sent: itself when it is that. @throws Error for one that is none */
export function plainDefinition(definition: unknown): McpToolDefinition {
  if (!isRecord(definition)) throw new Error('it is no object');
  if (hashes.has(definition)) return definition as unknown as McpToolDefinition; // safe: made below
  const { name, description, inputSchema, annotations } = definition;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH) {
    throw new Error(`its name is no text of 1 to ${MAX_NAME_LENGTH} characters`);
  }
  if (!isRecord(inputSchema)) throw new Error('it has no input schema');
  const hints = isRecord(annotations) ? annotations : {};
  const { readOnlyHint, idempotentHint } = hints;
  const plain = {
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema,
    annotations: {
      ...(typeof readOnlyHint === 'boolean' ? { readOnlyHint } : {}),
      ...(typeof idempotentHint === 'boolean' ? { idempotentHint } : {}),
    },
  };
  hashes.set(plain, hashOf({ name, description: plain.description, inputSchema }));
  return plain;
}

/** A hash of a list of definitions, plain or not. */
export function listHashOf(definitions: readonly unknown[], isCut: boolean): string {
  if (isCut || !Object.isFrozen(definitions)) return hashOfList(definitions, isCut);
  let hash = listHashes.get(definitions);
  if (hash === undefined) listHashes.set(definitions, (hash = hashOfList(definitions, isCut)));
  return hash;
}

function hashOfList(definitions: readonly unknown[], isCut: boolean): string {
  const parts = definitions.map((given) => {
    const one = plainOrItself(given);
    const hash = isRecord(one) ? hashes.get(one) : undefined;
    return hash === undefined ? one : [hash, (one as McpToolDefinition).annotations]; // safe: only plain ones have a hash
  });
  return hashOf([parts, isCut]);
}

/** The definition as plain data, or what the server has sent when it is none. */
export function plainOrItself(definition: unknown): unknown {
  try {
    return plainDefinition(definition);
  } catch {
    return definition; // reported when it is read
  }
}

function readingOf(
  serverName: string,
  definition: McpToolDefinition,
  limits: Required<McpLimits>,
  place: string,
): Reading {
  let reading = readings.get(definition);
  if (reading?.place !== place) {
    const problems: McpProblem[] = [];
    reading = { place, tool: readDefinition(serverName, definition, limits, problems), problems };
    readings.set(definition, reading);
  }
  return reading;
}

function readDefinition(
  serverName: string,
  definition: McpToolDefinition,
  { maxSchemaBytes, maxDescriptionLength }: Required<McpLimits>,
  problems: McpProblem[],
): ReadTool {
  const { name, description, inputSchema, annotations = {} } = definition;
  const bytes = Buffer.byteLength(JSON.stringify(inputSchema));
  if (bytes > maxSchemaBytes) throw new Error(`its input schema has ${bytes} bytes; ${maxSchemaBytes} are taken`);
  if (description.length > maxDescriptionLength) {
    const message = `the description of ${shownName(name)} is cut to ${maxDescriptionLength} characters`;
    problems.push({ kind: 'cut', name: shownName(name), message });
  }
  const hash = hashes.get(definition)!; // it is plain
  return {
    name,
    toolName: toolNameOf(serverName, name),
    // Models want a text, and the protocol lets it be absent.
    description: cleanText(description, maxDescriptionLength).trim() || shownName(name),
    schema: schemaOf(inputSchema, maxDescriptionLength),
    annotations,
    hash,
    identity: `${hash} ${JSON.stringify(annotations)}`,
  };
}

/** Without `closed`: what the server's schema says about other properties holds. */
function schemaOf(inputSchema: JsonSchema, most: number): Schema {
  const { type = 'object' } = inputSchema;
  if (type !== 'object') throw new Error('its input schema is of another type than object');
  const clean = withCleanTexts({ ...inputSchema, type }, most) as JsonSchema; // safe: a copy of an object is one
  const { json, parse } = jsonSchema(clean, { foreign: true });
  return { json, parse };
}

/** A name that may be shown to a person. */
export function shownName(name: unknown): string {
  return (typeof name === 'string' && cleanText(name, 100)) || 'a tool without a name';
}
