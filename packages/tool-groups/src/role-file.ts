import { AgentError } from '@x/core';
import { messageOf } from '@x/core/internal';
import { checkRole } from './check-role.ts';
import type { Role } from './role.ts';

/** Incremented when older versions could not read a file correctly any more. */
const FORMAT = 1;
/** Bytes; a larger file is not a role's. */
export const LARGEST_ROLE_FILE: number = 1024 * 1024;

const PLAIN_ID = /^[a-z0-9][a-z0-9-]{0,63}$/;
const ROLE_FILE = /^role(-[a-z0-9][a-z0-9-]{0,63}|~[0-9a-f]{64})\.json$/;

/**
 * The name of a role's file: readable for plain ids such as UUIDs, else the SHA-256 of the id. Lower case only, so that two ids never share
 * a file when the file system ignores case.
 */
export function roleFileName(id: string): string {
  if (PLAIN_ID.test(id)) return `role-${id}.json`;
  const { createHash } = process.getBuiltinModule('node:crypto'); // loaded with the first such id, not with the package
  // UTF-16, because UTF-8 has no lone surrogates: ids that differ only in one would become equal.
  return `role~${createHash('sha256').update(id, 'utf16le').digest('hex')}.json`;
}

/** True when a file name is that of a role. */
export function isRoleFileName(name: string): boolean {
  return ROLE_FILE.test(name);
}

/** The content of a role's file. @throws ValidationError for an invalid role, AgentError `ROLE_TOO_LARGE` */
export function writeRole(role: Role): Uint8Array {
  const bytes = new TextEncoder().encode(`${JSON.stringify({ format: FORMAT, role: checkRole(role) }, null, 2)}\n`);
  if (bytes.length <= LARGEST_ROLE_FILE) return bytes;
  throw new AgentError(`The role ${role.id} takes ${bytes.length} bytes; at most ${LARGEST_ROLE_FILE} can be kept`, {
    code: 'ROLE_TOO_LARGE',
    statusCode: 413,
  });
}

/** Parses the content of a role's file. @throws AgentError `ROLE_FILE_DAMAGED` or `ROLE_FILE_NEWER`, naming the file, with advice */
export function readRole(bytes: Uint8Array, place: { readonly path: string; readonly name: string }): Role {
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw damaged(place.path, 'it is not JSON', error);
  }
  const { format, role, ...rest } = (content ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof format === 'number' && Number.isInteger(format) && format > FORMAT) throw newer(place.path, format);
  if (format !== FORMAT || Object.keys(rest).length > 0) throw damaged(place.path, 'it is not in the format of a role');
  const read = roleIn(role, place.path);
  if (roleFileName(read.id) === place.name) return read;
  throw damaged(place.path, `it holds the role ${JSON.stringify(read.id)}, whose file has another name`);
}

/** The error for a file that cannot be parsed as a role. */
export function damaged(path: string, why: string, cause?: unknown): AgentError {
  return new AgentError(
    `The role file ${path} is damaged: ${why}. Its role is missing; bring the file back from a backup, or remove it`,
    { code: 'ROLE_FILE_DAMAGED', details: { path }, ...(cause === undefined ? {} : { cause }) },
  );
}

/** The error for a file that the system does not let us read. */
export function unreadable(path: string, cause: unknown): AgentError {
  return new AgentError(
    `The role file ${path} cannot be read: ${messageOf(cause)}. Its role is missing until it can; see to the file and list again`,
    { code: 'ROLE_FILE_UNREADABLE', details: { path }, cause },
  );
}

function newer(path: string, format: number): AgentError {
  return new AgentError(
    `The role file ${path} has format ${format}, written by a newer version; this one reads up to ${FORMAT}. Its role is missing; update the package`,
    { code: 'ROLE_FILE_NEWER', details: { path, format } },
  );
}

function roleIn(value: unknown, path: string): Role {
  try {
    return checkRole(value);
  } catch (error) {
    throw damaged(path, messageOf(error), error);
  }
}
