import type { RunContext, ValidationError } from '@x/core';
import { type AnyStandardSchema, dottedPath, messageOf, unlessAborted } from '@x/core/internal';
import type { OutputSchema } from './output-format.ts';

/** One fault of an answer; the path is empty for the answer as a whole. */
export interface OutputIssue {
  readonly path: string;
  readonly message: string;
}
/** The parsed value, or its faults; `cause` when the schema's own code has thrown. */
export type Validated =
  | { readonly value: unknown }
  | { readonly issues: readonly OutputIssue[]; readonly cause?: unknown };

type Result = Awaited<ReturnType<AnyStandardSchema['~standard']['validate']>>;
type Issue = NonNullable<Result['issues']>[number];

/** Parses the value with the schema. Waits for asynchronous schemas; undefined when the run ends in the meantime. */
export async function validateOutput(
  schema: OutputSchema,
  value: unknown,
  { signal }: Pick<RunContext, 'signal'>,
): Promise<Validated | undefined> {
  try {
    if (!('~standard' in schema)) return { value: schema.parse(value) };
    const result = await unlessAborted(() => schema['~standard'].validate(value), signal);
    return result.issues ? { issues: result.issues.flatMap((issue) => described(issue)) } : { value: result.value };
  } catch (cause) {
    return signal.aborted ? undefined : { issues: issuesIn(cause), cause };
  }
}

/** For a union zod reports only that nothing fits; the faults of each alternative are in `errors`. */
function described(issue: Issue, before = ''): OutputIssue[] {
  const path = pathOf(issue, before);
  const { errors } = issue as { readonly errors?: unknown };
  const own = { path, message: issue.message };
  if (!Array.isArray(errors)) return [own];
  const lists = errors.filter((list): list is Issue[] => Array.isArray(list));
  const told = lists.map((list) =>
    list
      .flatMap((one) => described(one, path))
      .map(lineOf)
      .join(', '),
  );
  return [{ path, message: told.length > 0 ? `${issue.message}: either ${told.join('; or ')}` : issue.message }];
}

/** A path in the form `items[0].name`. */
function pathOf({ path = [] }: Issue, before: string): string {
  return written(
    path.map((part) => (typeof part === 'object' ? part.key : part)),
    before,
  );
}

function pathOfPointer(pointer: string): string {
  if (!pointer.startsWith('/')) return pointer;
  const names = pointer.slice(1).split('/');
  return written(names.map((name) => (/^\d+$/.test(name) ? Number(name) : dottedPath(`/${name}`)!))); // one name
}

function written(keys: readonly PropertyKey[], before = ''): string {
  let text = before;
  for (const key of keys) {
    if (typeof key === 'number') text += `[${key}]`;
    else text += text === '' ? String(key) : `.${String(key)}`;
  }
  return text;
}

/** An issue as one line. */
export function lineOf({ path, message }: OutputIssue): string {
  return path === '' ? message : `${path}: ${message}`;
}

/** A `Schema` throws its issues; a transform or a refinement may throw anything. */
function issuesIn(error: unknown): OutputIssue[] {
  const { details, field = '' } = (error ?? {}) as Partial<ValidationError>;
  if (Array.isArray(details) && details.every(isIssue) && details.length > 0) {
    return details.map((issue) => ({ path: pathOfPointer(issue.path), message: issue.message }));
  }
  return [{ path: typeof field === 'string' ? field : '', message: messageOf(error) }];
}

function isIssue(value: unknown): value is OutputIssue {
  const { path, message } = (value ?? {}) as Partial<OutputIssue>;
  return typeof path === 'string' && typeof message === 'string';
}
