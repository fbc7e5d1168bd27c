import { ValidationError } from '../errors.ts';
import type { JsonSchema, Schema } from '../schema.ts';
import { issuesError, type ValidationIssue } from '../validation-issue.ts';
import { checkDefaults } from './check-defaults.ts';
import { Compiler } from './compile.ts';
import { Found } from './found.ts';
import { inspect } from './inspect.ts';
import type { AnySchema, Node, Run, SchemaObject } from './node.ts';
import { plainCopy } from './plain-copy.ts';
import type { SchemaDocument } from './resources.ts';

/** What a check found: the value with its defaults, or what is wrong with it. */
export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] };

/** A compiled JSON Schema. */
export interface CompiledJsonSchema extends Schema {
  /** Like `parse`, without throwing. */
  check(value: unknown): Checked;
  /** The same schema for the input of a tool: with `unevaluatedProperties: false` at its root, where nothing else is said. */
  closed(): CompiledJsonSchema;
}

export interface JsonSchemaOptions {
  /** How many faults are told at most. Default: 100. */
  readonly maxIssues?: number;
}

const MAX_ISSUES = 100;

/**
 * Compiles a JSON Schema (draft 2020-12): closures, no generated code. Verdicts are those of ajv (2020, `strictSchema`, with
 * ajv-formats). The input is never changed: a value that lacks properties with a `default` is copied where it lacks them, at the
 * root and below `properties`, `patternProperties`, `additionalProperties`, `prefixItems`, `items`, `allOf` and references; any
 * other value is returned as it is. Defaults of branches (`anyOf`, `oneOf`, `if`, `not`, `dependentSchemas`) only tell.
 * @throws ValidationError telling every keyword that is unknown, does nothing, is malformed or refers to itself without end, with its
 * JSON pointer; 100 at most
 */
export function jsonSchema(schema: JsonSchema | boolean, options: JsonSchemaOptions = {}): CompiledJsonSchema {
  checkOptions(options);
  const copy = plainCopy(schema) as AnySchema; // safe: inspect refuses all else
  const document = inspect(copy);
  if (document.keywords.has('default')) checkDefaults(document, new Compiler(document));
  return validator(copy, document, false, options);
}

function checkOptions(options: JsonSchemaOptions): void {
  for (const name of Object.keys(options)) {
    if (name !== 'maxIssues') throw new ValidationError(`jsonSchema has no option ${name}; known is maxIssues`, name);
  }
  const { maxIssues = MAX_ISSUES } = options;
  if (Number.isInteger(maxIssues) && maxIssues > 0) return;
  throw new ValidationError('maxIssues must be a whole number above 0', 'maxIssues');
}

function validator(schema: AnySchema, document: SchemaDocument, isClosed: boolean, options: JsonSchemaOptions) {
  let compiled: Compiled | undefined;
  const check = (value: unknown): Checked => {
    compiled ??= compile(schema, document, isClosed, options);
    return checkWith(compiled, value);
  };
  const self: CompiledJsonSchema = {
    json: typeof schema === 'object' ? schema : schema ? {} : { not: {} },
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

/** Whether the root names properties and does not say what of others. */
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
  try {
    const value = fill ? fill(given, needsRun ? newRun() : NO_RUN) : given;
    if (valid(value, needsRun ? newRun() : NO_RUN)) return { value };
    const found = new Found(maxIssues);
    collect(value, '', needsRun ? newRun() : NO_RUN, found);
    // A getter or a proxy may answer otherwise when it is asked again.
    if (found.issues.length === 0) found.wrong('', 'plain data');
    return { issues: found.issues };
  } catch (error) {
    if (error instanceof ValidationError) return { issues: [{ path: '', message: error.message }] };
    if (error instanceof RangeError) return { issues: [{ path: '', message: 'The input is nested too deeply' }] };
    throw error;
  }
}

function newRun(): Run {
  return { depth: 0, steps: 0, scope: [], memory: new Map() };
}

/** For schemas without references, which keep nothing. */
const NO_RUN: Run = newRun();
