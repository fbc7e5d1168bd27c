import { recordOf } from '../wire/json-values.ts';
import { checkedInput, jsonText } from '../wire/tool-input.ts';

type Container = Record<string | number, unknown>;

/** `$.name`, `[0]`, `['name']` and `["name"]`, the subset of RFC 9535 that addresses one value. */
const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The arguments of a call that are streamed value by value, each with its path. */
export class PartialArgs {
  #root: Container = {};
  /** A value could not be placed, so that arguments are missing. */
  #incomplete = false;

  #isEmpty = true;

  /** True while nothing was received. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Sets `args`: all of them at once. */
  replace(args: unknown): void {
    const whole = recordOf(args);
    if (!whole || Object.keys(whole).length === 0) return;
    this.#root = { ...whole };
    this.#isEmpty = false;
    this.#incomplete = false;
  }

  /** Adds `partialArgs`. */
  add(pieces: unknown): void {
    for (const piece of Array.isArray(pieces) ? pieces : []) this.#place(recordOf(piece) ?? {});
  }

  /** The arguments; as text, which no schema accepts, when they are incomplete. */
  value({ cut }: { readonly cut: boolean }): unknown {
    return cut || this.#incomplete ? jsonText(this.#root) : checkedInput(this.#root);
  }

  #place(piece: Readonly<Record<string, unknown>>): void {
    const path = typeof piece['jsonPath'] === 'string' ? piece['jsonPath'] : '';
    const value = valueOfPiece(piece);
    if (value === undefined) return;
    this.#isEmpty = false;
    const steps = stepsOf(path);
    if (!steps || !setAt(this.#root, steps, value)) this.#incomplete = true;
  }
}

function valueOfPiece(piece: Readonly<Record<string, unknown>>): unknown {
  if (Object.hasOwn(piece, 'nullValue')) return null;
  return piece['stringValue'] ?? piece['numberValue'] ?? piece['boolValue'];
}

function stepsOf(path: string): readonly (string | number)[] | undefined {
  const steps: (string | number)[] = [];
  const pattern = new RegExp(STEP);
  pattern.lastIndex = 1;
  while (pattern.lastIndex < path.length) {
    const step = pattern.exec(path);
    if (!step) return undefined;
    const [, name, index, single, double] = step;
    steps.push(index === undefined ? (name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')) : Number(index));
  }
  return path.startsWith('$') && steps.length > 0 ? steps : undefined;
}

/** Sets a value; false when the path does not fit: lists grow one by one, and a text or a number has no members. Texts are appended to. */
function setAt(root: Container, steps: readonly (string | number)[], value: unknown): boolean {
  let container = root;
  for (const [position, step] of steps.entries()) {
    const isList = Array.isArray(container);
    if (isList !== (typeof step === 'number') || (isList && Number(step) > Number(container['length']))) return false;
    const before = Object.hasOwn(container, step) ? container[step] : undefined;
    const next = steps[position + 1];
    if (next === undefined) {
      define(container, step, typeof before === 'string' && typeof value === 'string' ? before + value : value);
      return true;
    }
    if (before !== undefined && (typeof before !== 'object' || before === null)) return false;
    const inner = before ?? (typeof next === 'number' ? [] : {});
    if (before === undefined) define(container, step, inner);
    container = inner as Container; // safe: an object or a list, seen above
  }
  return false;
}

/** Not an assignment: names come from outside, and may be `__proto__`. */
function define(container: Container, step: string | number, value: unknown): void {
  Object.defineProperty(container, step, { value, writable: true, enumerable: true, configurable: true });
}
