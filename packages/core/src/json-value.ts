import { ValidationError } from '@x/errors';

/** Maximum levels of nested objects and lists. */
const MAX_DEPTH = 64;

/**
 * Checks that JSON preserves a value: plain objects and lists of texts, finite numbers, booleans and null. An object's property that is
 * undefined counts as absent. `what` begins the message and the paths in it, such as `the note todos`.
 * @throws ValidationError naming the path of the first value that JSON cannot represent; `field` is that path
 */
export function checkJsonValue(value: unknown, what: string): void {
  if (isLeaf(value)) return;
  check(value, { what, keys: [], parents: [] });
}

interface Place {
  readonly what: string;
  readonly keys: (string | number)[];
  /** The objects and lists around the value, outermost first. */
  readonly parents: object[];
}

function check(value: unknown, place: Place): void {
  if (isLeaf(value)) return;
  if (typeof value !== 'object' || value === null) refuse(place, nameOf(value));
  if (place.parents.includes(value)) refuse(place, 'a circle: it holds itself');
  if (place.parents.length >= MAX_DEPTH) refuse(place, `more than ${MAX_DEPTH} levels deep`);
  place.parents.push(value);
  if (Array.isArray(value)) checkList(value, place);
  else checkObject(value, place);
  place.parents.pop();
}

function checkList(list: readonly unknown[], place: Place): void {
  for (let index = 0; index < list.length; index++) {
    place.keys.push(index);
    check(list[index], place); // a hole reads as undefined, which is refused
    place.keys.pop();
  }
}

function checkObject(value: object, place: Place): void {
  const prototype: unknown = Object.getPrototypeOf(value);
  // Plain objects of another realm have another prototype, which has none itself.
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
    refuse(place, `an instance of ${classOf(value)}`);
  if (Object.getOwnPropertySymbols(value).length > 0) refuse(place, 'an object with symbols as keys');
  for (const key of Object.keys(value)) {
    place.keys.push(key);
    if (key === '__proto__') refuse(place, 'a key that changes what an object is');
    const property = (value as Record<string, unknown>)[key]; // an own key
    if (property !== undefined) check(property, place);
    place.keys.pop();
  }
}

function isLeaf(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function nameOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return value === undefined ? 'undefined (null can be kept)' : `a ${typeof value}`;
}

function classOf(value: object): string {
  const { constructor } = value as { readonly constructor?: { readonly name?: unknown } };
  return typeof constructor?.name === 'string' && constructor.name !== '' ? constructor.name : 'a class';
}

function refuse({ what, keys }: Place, found: string): never {
  const path = keys.map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`)).join('');
  const field = path.startsWith('.') ? path.slice(1) : path;
  const where = field === '' ? what : `${what} at ${field}`;
  const message = `${where} is ${found}; JSON cannot carry it, and what is kept must come back from JSON`;
  throw new ValidationError(message, field);
}
