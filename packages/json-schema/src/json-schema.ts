import { issuesError, messageOf, ValidationError, type ValidationIssue } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { checkDefaults } from './check-defaults.ts';
import { Compiler } from './compile.ts';
import { Found } from './found.ts';
import { inspect } from './inspect.ts';
import { type AnySchema, type Node, newRun, type Run, type SchemaObject } from './node.ts';
import { inLatestDraft } from './older-drafts.ts';
import { plainCopy } from './plain-copy.ts';
import type { SchemaDocument } from './resources.ts';
import type { JsonSchema, Schema } from './schema.ts';

/** The result of a check: the value with its defaults, or its faults. */
export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] };

/** A compiled JSON Schema. */
export interface CompiledJsonSchema extends Schema {
  /** Like `parse`, without throwing. */
  check(value: unknown): Checked;
  /** Parts of a foreign schema without effect here: unknown keywords and formats, invalid defaults, idle keywords, patterns. */
  readonly notes: readonly ValidationIssue[];
  /** The same schema for the input of a tool: with `unevaluatedProperties: false` at its root, unless it decides itself. */
  closed(): CompiledJsonSchema;
}

export interface JsonSchemaOptions {
  /** Maximum number of reported faults. Default: 100. */
  readonly maxIssues?: number;
  /**
   * For a foreign schema: unknown keywords and formats are annotations, an invalid default is not filled in, an idle keyword is ignored, a
   * pattern that cannot run in linear time is left to the schema's owner, and spellings of older drafts and OpenAPI 3.0 are accepted. Each
   * is in `notes`. Default: false, they are errors.
   */
  readonly foreign?: boolean;
}

const MAX_ISSUES = 100;
const OPTIONS: OptionRules<JsonSchemaOptions> = { maxIssues: is.count(), foreign: is.flag };

/**
 * Compiles a JSON Schema (draft 2020-12, or the older one that its `$schema` names, down to draft-04): closures, no generated code. Results
 * are those of ajv (2020, `strictSchema`, with ajv-formats), except that `multipleOf` is exact. The input is never changed: a value without
 * properties that have a `default` is copied where they are missing, at the root and below `properties`, `patternProperties`,
 * `additionalProperties`, `prefixItems`, `items`, `allOf` and references; any other value is returned as it is. Defaults of branches
 * (`anyOf`, `oneOf`, `if`, `not`, `dependentSchemas`) are annotations.
 * @throws ValidationError with every keyword that is unknown, without effect, malformed or refers to itself without end, with its JSON
 * pointer; 100 at most
 */
export function jsonSchema(schema: JsonSchema | boolean, options: JsonSchemaOptions = {}): CompiledJsonSchema {
  checkOptions('jsonSchema options', options, OPTIONS);
  const { foreign = false } = options;
  const reading = inLatestDraft(plainCopy(schema) as AnySchema, foreign); // safe: inspect refuses all else
  const document = inspect(reading, foreign);
  if (document.keywords.has('default')) checkDefaults(document, new Compiler(document), foreign);
  return validator(reading.schema, document, false, options);
}

function validator(schema: AnySchema, document: SchemaDocument, isClosed: boolean, options: JsonSchemaOptions) {
  let compiled: Compiled | undefined;
  const check = (value: unknown): Checked => {
    compiled ??= compile(schema, document, isClosed, options);
    return checkWith(compiled, value);
  };
  const self: CompiledJsonSchema = {
    json: typeof schema === 'object' ? schema : schema ? {} : { not: {} },
    notes: document.notes,
    check,
    parse(value) {
      const checked = check(value);
      if (checked.issues) throw issuesError(checked.issues);
      return checked.value;
    },
    closed: () => (isClosed || !closable(schema) ? self : validator(schema, document, true, options)),
  };
  return self;
}

/** True when the root names properties and does not decide about others. */
function closable(schema: AnySchema): schema is SchemaObject {
  return (
    typeof schema === 'object' &&
    schema['additionalProperties'] === undefined &&
    schema['unevaluatedProperties'] === undefined &&
    schema['patternProperties'] === undefined
  );
}

interface Compiled extends Node {
  readonly needsRun: boolean;
  readonly maxIssues: number;
}

function compile(
  schema: AnySchema,
  document: SchemaDocument,
  isClosed: boolean,
  { maxIssues = MAX_ISSUES }: JsonSchemaOptions,
): Compiled {
  const compiler = new Compiler(document, isClosed);
  const { valid, collect, fill } = compiler.root(schema);
  const { needsRun } = compiler;
  return { valid, collect, needsRun, maxIssues, ...(fill && document.keywords.has('default') ? { fill } : {}) };
}

function checkWith({ valid, collect, fill, needsRun, maxIssues }: Compiled, given: unknown): Checked {
  const patterns = { steps: 0 };
  const run = (): Run => (needsRun ? newRun(patterns) : NO_RUN);
  try {
    const value = fill ? fill(given, run()) : given;
    if (valid(value, run())) return { value };
    const found = new Found(maxIssues);
    collect(value, '', run(), found);
    // A getter or a proxy may answer differently the second time.
    if (found.issues.length === 0) found.wrong('', 'plain data');
    return { issues: found.issues };
  } catch (error) {
    return { issues: [{ path: '', message: reasonOf(error) }] };
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ValidationError) return error.message;
  if (error instanceof RangeError) return 'The input is nested too deeply';
  return `The input must be plain data; reading it failed: ${messageOf(error)}`; // a getter, a proxy
}

/** For schemas without references and steep patterns, which keep no state. */
const NO_RUN: Run = newRun();
