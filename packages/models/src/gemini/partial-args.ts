import { recordOf } from '../wire/json-values.ts';
import { checkedInput, jsonText } from '../wire/tool-input.ts';

type Container = Record<string | number, unknown>;

/** `$.name`, `[0]`, `['name']` and `["name"]`, as far as RFC 9535 writes the way to one value. */
const STEP = /\.([^.[\]]+)|\[(\d{1,6})\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The arguments of a call that are streamed value by value, each with the path at which it belongs. */
export class PartialArgs {
  #root: Container = {};
  /** Something could not be placed, so that what is here is less than what was said. */
  #incomplete = false;

  #isEmpty = true;

  /** Nothing has come yet. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  /** Takes `args`: all of them at once. */
  replace(args: unknown): void {
    const whole = recordOf(args);
    if (!whole || Object.keys(whole).length === 0) return;
    this.#root = { ...whole };
    this.#isEmpty = false;
    this.#incomplete = false;
  }

  /** Takes `partialArgs`. */
  add(pieces: unknown): void {
    for (const piece of Array.isArray(pieces) ? pieces : []) this.#place(recordOf(piece) ?? {});
  }

  /** The arguments; as text, which no schema accepts, when they are not all there. */
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

/** Whether there was a place for it: lists grow one by one, and nothing is put under a text or a number. Texts go on where they are. */
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

/** Not an assignment: names come from outside, and `__proto__` is one. */
function define(container: Container, step: string | number, value: unknown): void {
  Object.defineProperty(container, step, { value, writable: true, enumerable: true, configurable: true });
}
