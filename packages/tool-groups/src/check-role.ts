import { knownNames, ValidationError } from '@x/core';
import type { Role } from './role.ts';

const KNOWN = ['id', 'name', 'rolePrompt', 'createdBy', 'createdAt', 'status', 'llmServiceId', 'toolGroups'];
/** The profile of ISO 8601 that RFC 3339 section 5.6 names `date-time`. */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/** A frozen copy of a role, its groups included. @throws ValidationError naming the first part that does not fit */
export function checkRole(value: unknown): Role {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse('The role', 'must be an object');
  const given: Readonly<Record<string, unknown>> = { ...value };
  const odd = Object.keys(given).find((key) => !KNOWN.includes(key));
  if (odd !== undefined) refuse(odd, `is no part of a role; ${knownNames(odd, KNOWN)}`);
  const { createdAt, status, llmServiceId, toolGroups } = given;
  if (!isDateTime(createdAt)) refuse('createdAt', 'must be an ISO 8601 time such as 2026-01-11T08:00:00.000Z');
  if (status !== 'active' && status !== 'inactive') refuse('status', 'must be active or inactive');
  if (llmServiceId !== null && typeof llmServiceId !== 'string') refuse('llmServiceId', 'must be a string or null');
  return Object.freeze({
    id: textIn(given, 'id', 1),
    name: textIn(given, 'name', 1),
    rolePrompt: textIn(given, 'rolePrompt'),
    createdBy: textIn(given, 'createdBy', 1),
    createdAt,
    status,
    llmServiceId,
    ...(toolGroups === undefined ? {} : { toolGroups: groupIdsOf(toolGroups) }),
  });
}

/** By the moment of creation, then by id. */
export function inOrder(roles: Iterable<Role>): readonly Role[] {
  const moment = ({ createdAt }: Role) => Date.parse(createdAt);
  return [...roles].toSorted((one, other) => moment(one) - moment(other) || (one.id < other.id ? -1 : 1));
}

function isDateTime(value: unknown): value is string {
  return typeof value === 'string' && DATE_TIME.test(value) && !Number.isNaN(Date.parse(value));
}

function textIn(given: Readonly<Record<string, unknown>>, key: string, least = 0): string {
  const value = given[key];
  if (typeof value === 'string' && value.length >= least) return value;
  return refuse(key, least === 0 ? 'must be a string' : 'must be a string that is not empty');
}

function groupIdsOf(value: unknown): readonly string[] {
  const ids: unknown[] = Array.isArray(value) ? [...value] : [undefined];
  if (ids.every((id) => typeof id === 'string')) return Object.freeze(ids);
  return refuse('toolGroups', 'must be a list of ids of tool groups');
}

function refuse(field: string, problem: string): never {
  throw new ValidationError(`${field} ${problem}`, field);
}
