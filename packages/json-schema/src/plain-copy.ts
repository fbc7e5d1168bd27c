import { ValidationError } from '@x/errors';

const MAX_DEPTH = 128;
const MAX_VALUES = 100_000;

/** A frozen copy of plain data. @throws ValidationError for other data, or data nested too deeply or too large */
export function plainCopy(value: unknown): unknown {
  let values = 0;
  const copy = (one: unknown, depth: number): unknown => {
    values++;
    if (values > MAX_VALUES) throw new ValidationError(`The schema has more than ${MAX_VALUES} values`);
    if (typeof one !== 'object' || one === null) return plain(one);
    if (depth > MAX_DEPTH) throw new ValidationError(`The schema is nested more than ${MAX_DEPTH} levels deep`);
    if (Array.isArray(one)) return Object.freeze(one.map((item) => copy(item, depth + 1)));
    const copied: Record<string, unknown> = {};
    for (const [name, item] of Object.entries(one)) {
      if (item !== undefined) put(copied, name, copy(item, depth + 1));
    }
    return Object.freeze(copied);
  };
  return copy(value, 0);
}

/** Sets an own property, whatever its name. */
export function put(record: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
}

function plain(value: unknown): unknown {
  if (typeof value === 'number' ? Number.isFinite(value) : value === null || /^(string|boolean)$/.test(typeof value)) {
    return value;
  }
  const shown = typeof value === 'number' ? String(value) : `a ${typeof value}`;
  throw new ValidationError(`The schema holds ${shown}, which JSON cannot say`);
}
