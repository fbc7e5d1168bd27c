import { recordOf } from '../wire/json-values.ts';
import type { WireDelta } from './wire-chunk.ts';

type Fields = Record<string, unknown>;

/** Strings that arrive in pieces; all others arrive complete. */
const IN_PIECES = ['text', 'summary', 'thinking'];

/**
 * Collects thinking data other than text: lists of typed parts, streamed in pieces, that must be sent back as one list. Pieces of one part
 * have the same type and index; without an index they follow each other until the signature.
 */
export class Reasoning {
  readonly #details: Fields[] = [];
  readonly #blocks: Fields[] = [];
  #extra: Fields | undefined;
  #seal = '';

  /** Adds a delta and returns the text of its parts. */
  add({ reasoning_details, thinking_blocks, extra_content, reasoning_opaque }: WireDelta): string {
    let text = '';
    for (const piece of partsOf(reasoning_details)) text += join(this.#details, piece);
    const hasDetails = text !== '';
    for (const piece of partsOf(thinking_blocks)) {
      const more = join(this.#blocks, piece);
      if (!hasDetails) text += more;
    }
    const extra = recordOf(extra_content);
    if (extra && !saysThoughtOnly(extra)) this.#extra = { ...this.#extra, ...extra };
    if (typeof reasoning_opaque === 'string' && reasoning_opaque !== '') this.#seal = reasoning_opaque;
    return text;
  }

  /** The fields to send back with the message. */
  fields(): Readonly<Fields> {
    return {
      ...(this.#details.length === 0 ? {} : { reasoning_details: this.#details }),
      ...(this.#blocks.length === 0 ? {} : { thinking_blocks: this.#blocks }),
      ...(this.#extra ? { extra_content: this.#extra } : {}),
      ...(this.#seal === '' ? {} : { reasoning_opaque: this.#seal }),
    };
  }
}

function partsOf(list: unknown): readonly Fields[] {
  if (!Array.isArray(list)) return [];
  // safe: read as unknown values only
  return list.filter((part: unknown): part is Fields => typeof part === 'object' && part !== null);
}

/** Joins a piece with its part, or begins a new one; returns its text. */
function join(parts: Fields[], piece: Fields): string {
  const part = parts.at(-1);
  if (part && belongs(part, piece)) {
    for (const [name, value] of Object.entries(piece)) {
      if (value === null || value === undefined) continue;
      const before = part[name];
      const joins = IN_PIECES.includes(name) && typeof before === 'string' && typeof value === 'string';
      part[name] = joins ? before + value : value;
    }
  } else parts.push({ ...piece });
  return IN_PIECES.map((name) => piece[name]).find((value) => typeof value === 'string') ?? '';
}

function belongs(part: Fields, piece: Fields): boolean {
  if (part['type'] !== piece['type'] || part['index'] !== piece['index'] || differs(part['id'], piece['id']))
    return false;
  if (typeof part['data'] === 'string' || typeof piece['data'] === 'string') return false;
  return typeof part['index'] === 'number' || typeof part['signature'] !== 'string';
}

function differs(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && typeof other === 'string' && one !== other;
}

/** Gemini's mark of a thought; nothing in it must be sent back. */
function saysThoughtOnly(extra: Readonly<Fields>): boolean {
  const google = recordOf(extra['google']);
  return (
    Object.keys(extra).length === 1 && google !== undefined && Object.keys(google).every((key) => key === 'thought')
  );
}
