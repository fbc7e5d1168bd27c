import { isRecord } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkOptions, given, type OptionRules } from '@x/errors/option-rules';
import type { Role } from './role.ts';

/** The profile of ISO 8601 that RFC 3339 section 5.6 names `date-time`. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
const ROLE: OptionRules<Role> = {
  id: is.required(is.filledText),
  name: is.required(is.filledText),
  rolePrompt: is.required(is.text),
  createdBy: is.required(is.filledText),
  createdAt: is.required(is.rule('an ISO 8601 time such as 2026-01-11T08:00:00.000Z', isDateTime)),
  status: is.required(is.oneOf('active', 'inactive')),
  llmServiceId: is.required(is.either(is.text, is.oneOf(null), 'a text or null')),
  toolGroups: is.texts,
};

/**
 * A frozen copy of a role, its groups included; `path` is its place among the options, for errors.
 * @throws ValidationError naming the first invalid part
 */
export function checkRole(value: unknown, path?: string): Role {
  const own: unknown = isRecord(value) ? ownCopy(value) : value;
  checkOptions(path ?? 'The role', own, ROLE, path);
  const { toolGroups, ...role } = given(own as Role, ROLE); // safe: checked
  return Object.freeze({ ...role, ...(toolGroups === undefined ? {} : { toolGroups: Object.freeze(toolGroups) }) });
}

/** A shallow copy, each value read once, with its lists copied. */
export function ownCopy<T extends object>(given: T): T {
  const entries = Object.entries(given ?? {}).map(([key, value]) => [key, Array.isArray(value) ? [...value] : value]);
  return Object.fromEntries(entries) as T; // safe: the same keys and values
}

/** By time of creation, then by id. */
export function inOrder(roles: Iterable<Role>): readonly Role[] {
  const moment = ({ createdAt }: Role) => Date.parse(createdAt);
  return [...roles].toSorted((one, other) => moment(one) - moment(other) || (one.id < other.id ? -1 : 1));
}

function isDateTime(value: unknown): value is string {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value));
}
