import { type ModelOptions, ValidationError } from '@x/core';
import { withExtra } from './extra-body.ts';
import { recordOf } from './json-values.ts';

export type Fields = Readonly<Record<string, unknown>>;
/** Options of the model in the words of one API. */
export interface OptionFields {
  /** The fields of a request. @throws ValidationError naming an option that the model does not take */
  readonly fieldsOf: (options: ModelOptions) => Fields;
  /** By option: fields of a request that say the same, `name` or `object.name`. */
  readonly places: Readonly<Record<keyof ModelOptions, readonly string[]>>;
}

/** The error about an option that a model does not take; `advice` says why, and what to do. */
export function refusedOption(option: string, model: string, advice: string): ValidationError {
  const field = `modelOptions.${option}`;
  return new ValidationError(`${field} is not taken by ${model}: ${advice}`, field, { model });
}

/** @throws ValidationError for an option that the model does not take, or that the host's own fields say too */
export function checkOptionFields(
  options: ModelOptions,
  { fieldsOf, places }: OptionFields,
  extraBody: Fields = {},
): void {
  fieldsOf(options);
  for (const option of Object.keys(options) as (keyof ModelOptions)[]) {
    const place = places[option].find((one) => isIn(extraBody, one)); // checked: each option has places
    if (place === undefined) continue;
    const field = `modelOptions.${option}`;
    throw new ValidationError(`${field} and provider.extraBody.${place} say the same; leave one of them out`, field);
  }
}

interface GivenFields {
  readonly fieldsOf: OptionFields['fieldsOf'];
  readonly extraBody?: Fields | undefined;
  /** False: services refuse fields about tools then. */
  readonly hasTools: boolean;
}

/** The fields that a request has of the host: those of its options, and over them those that are the service's own. */
export function givenFields(
  options: ModelOptions | undefined,
  { fieldsOf, extraBody = {}, hasTools }: GivenFields,
): Fields {
  if (!options) return extraBody;
  const { toolChoice: _choice, parallelToolCalls: _parallel, ...others } = options;
  return withExtra(fieldsOf(hasTools ? options : others), extraBody, { hasTools });
}

/** `read` makes fields of the options that are there. */
export function fieldsFor(
  options: ModelOptions,
  read: { readonly [K in keyof ModelOptions]-?: (value: NonNullable<ModelOptions[K]>) => Fields },
): Fields {
  const fields: Record<string, unknown> = {};
  for (const option of Object.keys(options) as (keyof ModelOptions)[]) {
    const value = options[option];
    if (value !== undefined) Object.assign(fields, (read[option] as (value: unknown) => Fields)(value)); // safe: its own value
  }
  return fields;
}

function isIn(extraBody: Fields, place: string): boolean {
  const [name = '', inner] = place.split('.');
  if (!Object.hasOwn(extraBody, name)) return false;
  if (inner === undefined) return true;
  const record = recordOf(extraBody[name]);
  return record === undefined || Object.hasOwn(record, inner); // what is no object replaces the whole
}
