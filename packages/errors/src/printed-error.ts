const UNREADABLE = 'An error that cannot be read';

/**
 * An error of this SDK for `console.log` and an uncaught exception: name, message, stack, its fields as JSON, and its causes, of which
 * foreign ones show only name, message and stack: other fields of an HTTP client's errors contain the headers it has sent.
 */
export function printedError(error: object, isOwn: (cause: unknown) => boolean): string {
  const printed: string[] = [];
  const seen = new Set<unknown>();
  for (let one: unknown = error; one !== undefined; one = read(one, 'cause')) {
    const label = seen.size === 0 ? '' : '[cause]: ';
    if (seen.has(one)) return [...printed, `${label}[Circular]`].join('\n');
    seen.add(one);
    printed.push(`${label}${headOf(one)}${isOwn(one) ? factsOfError(one) : ''}`);
  }
  return printed.join('\n');
}

function headOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return typeof error === 'string' ? error : typeof error;
  const [name, message, stack] = [read(error, 'name'), read(error, 'message'), read(error, 'stack')];
  if (typeof name !== 'string' || typeof message !== 'string') return UNREADABLE;
  const at = typeof stack === 'string' ? stack.indexOf('\n    at ') : -1;
  return `${name}: ${message}${at < 0 ? '' : (stack as string).slice(at)}`; // the stack's own first line has the name of the base class
}

/** Code, status and the like, and the details. */
function factsOfError(error: unknown): string {
  const facts = Object.entries(Object.getOwnPropertyDescriptors(error as object)).flatMap(
    ([key, { enumerable, value }]) => {
      const isFact = key === 'details' || ['string', 'number', 'boolean'].includes(typeof value);
      return enumerable && key !== 'name' && isFact ? [[key, value] as const] : [];
    },
  );
  try {
    return ` ${JSON.stringify(Object.fromEntries(facts), null, 2)}`;
  } catch {
    return ''; // details that are no plain data
  }
}

function read(error: unknown, key: string): unknown {
  if (typeof error !== 'object' || error === null) return undefined;
  try {
    return (error as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined; // a getter that throws, a revoked proxy
  }
}
