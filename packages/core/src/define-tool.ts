import { ValidationError } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import type { Schema } from '@x/json-schema';
import type { AgentEvent } from './event.ts';
import { jsonText } from './json-text.ts';
import type { FileBlock, ImageBlock, TextBlock } from './message.ts';
import type { OutputOf } from './schema.ts';
import type { Tool, ToolContext, ToolStream } from './tool.ts';
import type { ToolEffect, ToolKind, ToolResult, ToolSubject } from './tool-result.ts';
import { type ToolSchema, toToolSchema } from './tool-schema.ts';

/**
 * A text, a list of content parts (`{ type: 'text', text }`, `{ type: 'image' | 'file', mediaType, data, name? }`, data in base64), or any other
 * value (sent to the model as JSON).
 */
export type ToolOutput = unknown;
/** Yields progress for the reader while the tool runs; returns the output, or nothing when the yielded text is all. */
export type ToolOutputStream = AsyncGenerator<string | AgentEvent, ToolOutput, void>;

/** The definition of a tool for the agent. */
export interface ToolDefinition<S extends ToolSchema = ToolSchema> {
  /** `^[A-Za-z][A-Za-z0-9_-]{0,63}$` */
  readonly name: string;
  readonly description: string;
  /**
   * zod 4, any Standard Schema that offers JSON Schema, a plain JSON Schema, or a `Schema`, as accepted by `toToolSchema`. The input is
   * parsed before `execute`.
   */
  readonly inputSchema: S;
  /** Default: `execute`, the safest. */
  readonly kind?: ToolKind;
  /** Default: `pure` for readonly tools, `non_idempotent` for all others. */
  readonly effect?: ToolEffect;
  /** Default: `kind === 'readonly'`. */
  readonly parallelSafe?: boolean;
  /** Default: true when `execute` is an async generator function. */
  readonly streaming?: boolean;
  /** Replaces the built-in tool of the same name in a session; permissions judge it like that one. */
  readonly replace?: true;
  subject?(input: OutputOf<S>): ToolSubject | undefined;
  execute(input: OutputOf<S>, context: ToolContext): Promise<ToolOutput> | ToolOutputStream;
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);
const GeneratorFunction = Object.getPrototypeOf(async function* () {}) as object;
const SyncGeneratorFunction = Object.getPrototypeOf(function* () {}) as object;

const DEFINITION: OptionRules<ToolDefinition> = {
  name: is.required(
    is.rule(
      `a text that matches ${NAME.source} and is not a prototype name`,
      (value) => typeof value === 'string' && NAME.test(value) && !FORBIDDEN.has(value),
    ),
  ),
  description: is.required(is.words),
  inputSchema: is.anything, // `toToolSchema` checks it
  kind: is.oneOf('readonly', 'write', 'execute'),
  effect: is.oneOf('pure', 'idempotent', 'non_idempotent'),
  parallelSafe: is.flag,
  streaming: is.flag,
  replace: is.rule('true; leave it out otherwise', (value) => value === true),
  subject: is.callback,
  execute: is.required(
    is.rule(
      'an async function; write async *execute',
      (value) => typeof value === 'function' && Object.getPrototypeOf(value) !== SyncGeneratorFunction,
    ),
  ),
};

/** Creates a `Tool` from a definition, with the defaults filled in. @throws ValidationError naming the invalid field */
export function defineTool<S extends ToolSchema>(definition: ToolDefinition<S>): Tool<OutputOf<S>> {
  ofTool(definition, () => checkOptions('definition', definition, DEFINITION));
  const { name, description, kind = 'execute' } = definition;
  const effect = definition.effect ?? (kind === 'readonly' ? 'pure' : 'non_idempotent');
  return {
    name,
    description,
    inputSchema: inputSchemaOf(definition),
    kind,
    effect,
    parallelSafe: definition.parallelSafe ?? kind === 'readonly',
    streaming: definition.streaming ?? isGenerator(definition),
    ...(definition.replace ? { replace: true } : {}),
    ...(hasFunction(definition, 'subject') ? { subject: (input) => definition.subject?.(input) } : {}),
    execute: (input, context) => run(definition, input, context),
  };
}

function inputSchemaOf<S extends ToolSchema>(definition: ToolDefinition<S>): Schema<OutputOf<S>> {
  // safe: OutputOf is what the schema's parser returns
  return ofTool(definition, () => toToolSchema(definition.inputSchema) as Schema<OutputOf<S>>, 'inputSchema');
}

/** Adds the tool's name to the error of an invalid part. */
function ofTool<T>(definition: ToolDefinition | null | undefined, check: () => T, option?: string): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const said =
      option === undefined || error.message.startsWith(option) ? error.message : `${option}: ${error.message}`;
    const name: unknown = definition?.name;
    const whose = typeof name === 'string' && NAME.test(name) ? `Tool ${name}: ` : '';
    throw new ValidationError(`${whose}${said}`, option ?? error.field, error.details);
  }
}

function hasFunction(definition: object, name: string): boolean {
  return typeof (definition as Readonly<Record<string, unknown>>)[name] === 'function';
}

function isGenerator({ execute }: { readonly execute: unknown }): boolean {
  return Object.getPrototypeOf(execute) === GeneratorFunction;
}

/** True for the result of `defineTool` (or anything of its shape), false for a definition. */
export function isTool(value: Tool | ToolDefinition): value is Tool {
  const schema: ToolSchema | null | undefined = value?.inputSchema;
  return (
    typeof schema === 'object' &&
    schema !== null &&
    'json' in schema &&
    !('~standard' in schema) &&
    'parallelSafe' in value
  );
}

async function* run<S extends ToolSchema>(
  definition: ToolDefinition<S>,
  input: OutputOf<S>,
  context: ToolContext,
): ToolStream {
  const running = definition.execute(input, context);
  if (!isStream(running)) return toResult(await running);
  let text = '';
  let ended = false;
  try {
    for (;;) {
      const step = await running.next();
      if (step.done) {
        ended = true;
        return toResult(step.value === undefined ? text : step.value);
      }
      if (typeof step.value === 'string') {
        text += step.value;
        yield { type: 'tool_progress', id: context.callId, delta: step.value };
      } else if (typeof step.value?.type === 'string') yield step.value; // anything else is no event, and would end its reader
    }
  } finally {
    if (!ended) await running.return(undefined);
  }
}

function isStream(running: Promise<ToolOutput> | ToolOutputStream): running is ToolOutputStream {
  return typeof running === 'object' && running !== null && Symbol.asyncIterator in running;
}

/** Converts the returned value of a tool to a result for the model. */
export function toResult(value: ToolOutput): ToolResult {
  if (typeof value === 'string') return { output: value, isError: false };
  if (value === undefined || value === null) return { output: '', isError: false, data: value };
  if (isParts(value)) {
    const images = value.filter((part) => part.type === 'image');
    const files = value.filter((part) => part.type === 'file');
    const output = value.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const media = { ...(images.length > 0 ? { images } : {}), ...(files.length > 0 ? { files } : {}) };
    return { output, isError: false, data: value, ...media };
  }
  if (isResult(value)) return withCheckedMedia(value);
  // JSON has no text for functions and symbols.
  return { output: jsonText(value) ?? `[${typeof value}]`, isError: false, data: value };
}

function isParts(value: unknown): value is (TextBlock | ImageBlock | FileBlock)[] {
  return Array.isArray(value) && value.length > 0 && value.every((part) => isTextPart(part) || isMediaPart(part));
}

function isTextPart(part: Partial<TextBlock> | null): boolean {
  return part?.type === 'text' && typeof part.text === 'string';
}

function isMediaPart(part: Partial<ImageBlock | FileBlock> | null): boolean {
  const isMedia = part?.type === 'image' || part?.type === 'file';
  return isMedia && typeof part.data === 'string' && typeof part.mediaType === 'string';
}

/** @throws ValidationError for images and files that no model could be given */
function withCheckedMedia(result: ToolResult): ToolResult {
  const fault = faultOfMedia(result);
  if (fault) throw new ValidationError(`The tool has run, but ${fault.text}`, fault.field);
  return result;
}

/** The images or files of a result that no model could be given; undefined when all are fit. */
export function faultOfMedia(result: ToolResult): { readonly field: string; readonly text: string } | undefined {
  for (const [field, type] of [['images', 'image'] as const, ['files', 'file'] as const]) {
    const parts: unknown = result[field] ?? [];
    const isFit = Array.isArray(parts) && parts.every((part) => isMediaPart(part) && part.type === type);
    if (!isFit) return { field, text: `${field} of its result must be a list of { type: '${type}', mediaType, data }` };
  }
  return undefined;
}

function isResult(value: object): value is ToolResult {
  const { output, isError } = value as Partial<ToolResult>;
  return typeof output === 'string' && typeof isError === 'boolean';
}
