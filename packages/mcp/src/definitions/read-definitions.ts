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
}
/** The tools of a list by name, and what is wrong with the others. */
export interface ReadTools {
  readonly tools: readonly ReadTool[];
  readonly problems: readonly McpProblem[];
}

const MAX_NAME_LENGTH = 256;

/** Reads a server's list: a tool that is broken is left out, and so are those that would have one name. */
export function readDefinitions(
  serverName: string,
  definitions: readonly unknown[],
  limits: Required<McpLimits>,
): ReadTools {
  const problems: McpProblem[] = [];
  const read = definitions.flatMap((definition) => {
    try {
      return [readDefinition(serverName, definition, limits, problems)];
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

/** The definition as plain data, without what else the server has sent. @throws Error for one that is none */
export function plainDefinition(definition: unknown): McpToolDefinition {
  if (!isRecord(definition)) throw new Error('it is no object');
  const { name, description, inputSchema, annotations } = definition;
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_LENGTH) {
    throw new Error(`its name is no text of 1 to ${MAX_NAME_LENGTH} characters`);
  }
  if (!isRecord(inputSchema)) throw new Error('it has no input schema');
  const hints = isRecord(annotations) ? annotations : {};
  const { readOnlyHint, idempotentHint } = hints;
  return {
    name,
    description: typeof description === 'string' ? description : '',
    inputSchema,
    annotations: {
      ...(typeof readOnlyHint === 'boolean' ? { readOnlyHint } : {}),
      ...(typeof idempotentHint === 'boolean' ? { idempotentHint } : {}),
    },
  };
}

/** The definition as plain data, or what the server has sent when it is none. */
export function plainOrItself(definition: unknown): unknown {
  try {
    return plainDefinition(definition);
  } catch {
    return definition; // reported when it is read
  }
}

function readDefinition(
  serverName: string,
  given: unknown,
  { maxSchemaBytes, maxDescriptionLength }: Required<McpLimits>,
  problems: McpProblem[],
): ReadTool {
  const definition = plainDefinition(given);
  const { name, description, inputSchema, annotations = {} } = definition;
  const bytes = Buffer.byteLength(JSON.stringify(inputSchema));
  if (bytes > maxSchemaBytes) throw new Error(`its input schema has ${bytes} bytes; ${maxSchemaBytes} are taken`);
  if (description.length > maxDescriptionLength) {
    const message = `the description of ${shownName(name)} is cut to ${maxDescriptionLength} characters`;
    problems.push({ kind: 'cut', name: shownName(name), message });
  }
  return {
    name,
    toolName: toolNameOf(serverName, name),
    // Models want a text, and the protocol lets it be absent.
    description: cleanText(description, maxDescriptionLength).trim() || shownName(name),
    schema: schemaOf(inputSchema, maxDescriptionLength),
    annotations,
    hash: hashOf({ name, description, inputSchema }),
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
