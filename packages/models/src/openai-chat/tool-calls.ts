import type { ToolUseBlock } from '@x/core';
import { isObject } from '@x/errors';
import { textIn } from '../wire/json-values.ts';
import { newCallId } from '../wire/tool-input.ts';
import { CALL_FIELDS } from './carried-fields.ts';
import { StreamedArguments } from './streamed-arguments.ts';
import { argumentsInput, isObjectText } from './tool-arguments.ts';

/** A piece of a call, as far as it can be trusted. */
export interface CallPiece {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
  /** A call of a tool whose input is plain text. */
  readonly custom?: { readonly name?: unknown; readonly input?: unknown } | null;
  readonly extra_content?: unknown;
  readonly provider_specific_fields?: unknown;
}
interface OpenCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  readonly arguments: StreamedArguments;
  isText: boolean;
  /** What the service wants back with the call. */
  carried: Readonly<Record<string, unknown>> | undefined;
}
type NamedPiece = Pick<OpenCall, 'index' | 'id' | 'name'> & { readonly arguments: string };

/**
 * Gathers streamed tool calls. They belong together by `index`; servers that leave it out, or give the same one to every call, begin
 * a new call with a new id and a name when the call before it is whole. Of several ids and names the last one that is not empty counts,
 * as with the official client; a name that comes in pieces is joined when that makes the name of a tool.
 */
export class ToolCalls {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();
  /** Begun together without an index: the rests of them come in the same order. */
  #together: OpenCall[] = [];
  readonly #known: readonly string[];

  /** `known` are the names of the tools. */
  constructor(known: readonly string[]) {
    this.#known = known;
  }

  get size(): number {
    return this.#calls.length;
  }

  /** Whether each of them has all of its arguments, as far as these can tell: plain text never does. */
  get areWhole(): boolean {
    return this.#calls.every(({ isText, arguments: { text } }) => !isText && isObject(argumentsInput(text, true)));
  }

  /** Takes a piece; `position` is its place among those that came with it. */
  add(part: CallPiece, position = 0): void {
    const { index, id, custom } = part;
    const name = textIn(part.function?.name ?? custom?.name);
    const given = argumentsOf(part.function?.arguments ?? custom?.input);
    const piece = { index: typeof index === 'number' ? index : undefined, id: textIn(id), name, arguments: given };
    const call = this.#callOf(piece, position) ?? this.#open(piece);
    if (!call) return;
    if (piece.id !== '') this.#byId.set(piece.id, call);
    call.id = piece.id || call.id;
    call.name = this.#nameOf(call.name, name);
    call.arguments.add(given);
    if (piece.index === undefined && !isRest(piece)) {
      if (position === 0) this.#together = [];
      this.#together[position] = call;
    }
    if (custom) call.isText = true;
    for (const field of CALL_FIELDS) if (part[field]) call.carried = { ...call.carried, [field]: part[field] };
  }

  /** The calls; `cut` says that the reply was ended before its time, so that empty arguments may be unfinished ones. */
  blocks({ provider, cut }: { provider: string; cut: boolean }): ToolUseBlock[] {
    const ids = new Set<string>();
    return this.#inOrder().map(({ id: given, name, arguments: { text }, isText, carried }) => {
      const id = given === '' || ids.has(given) ? newCallId() : given;
      ids.add(id);
      const input = isText ? text : argumentsInput(text, cut);
      return { type: 'tool_use', id, name, input, ...(carried ? { providerData: { provider, data: carried } } : {}) };
    });
  }

  /** The index is the service's order, wherever it has given one to every call. */
  #inOrder(): readonly OpenCall[] {
    if (this.#calls.some(({ index }) => index === undefined)) return this.#calls;
    return this.#calls.toSorted((one, other) => (one.index ?? 0) - (other.index ?? 0));
  }

  #callOf(piece: NamedPiece, position: number): OpenCall | undefined {
    const { index, id, name } = piece;
    const last = this.#calls.at(-1);
    const byId = id === '' ? undefined : this.#byId.get(id);
    if (index === undefined) {
      const begun = isRest(piece) ? this.#together[position] : undefined;
      if (begun && !begun.arguments.isWhole) return begun;
      return byId ?? (last && (name === '' || last.name === '' || !isAnother(last, piece)) ? last : undefined);
    }
    const call = this.#byIndex.get(index);
    // some count on between the beginning of a call and its rest
    if (!call) return isRest(piece) && last && isUnfinished(last) ? last : undefined;
    if (name === '' && byId && call.id !== id) return byId;
    return name === '' || call.name === '' || !isAnother(call, piece) ? call : undefined;
  }

  /** Nothing is opened by a piece that says nothing. */
  #open(piece: NamedPiece): OpenCall | undefined {
    const { index } = piece;
    if (isRest(piece) && piece.arguments === '') return undefined;
    const text = new StreamedArguments();
    const call: OpenCall = { index, id: '', name: '', arguments: text, isText: false, carried: undefined };
    this.#calls.push(call);
    if (index !== undefined) this.#byIndex.set(index, call);
    return call;
  }

  #nameOf(before: string, piece: string): string {
    if (piece === '' || before === '' || this.#known.includes(piece)) return piece || before;
    const joined = before + piece;
    return this.#known.some((name) => name.startsWith(joined)) ? joined : piece;
  }
}

/** Whether a piece has nothing but arguments. */
function isRest({ id, name }: NamedPiece): boolean {
  return id === '' && name === '';
}

function isUnfinished(call: OpenCall): boolean {
  return call.name !== '' && !call.isText && !call.arguments.isWhole;
}

/** Whether a piece with a name begins another call than the one in whose place it stands. */
function isAnother(call: OpenCall, { index, id, name, arguments: given }: NamedPiece): boolean {
  const newId = id !== '' && call.id !== '' && id !== call.id;
  if (id !== '' && id === call.id) return false;
  if (newId && index === undefined) return true;
  if (newId && call.arguments.text === '') return name !== call.name;
  if (!call.arguments.isWhole) return false;
  // without a new id, the same once more is the same call
  return (
    newId ||
    (id === '' &&
      (index === undefined || isObjectText(given)) &&
      !(name === call.name && given === call.arguments.text))
  );
}

/** Some servers send the arguments as an object, in one piece. */
function argumentsOf(given: unknown): string {
  if (typeof given === 'string') return given;
  return typeof given === 'object' && given !== null ? JSON.stringify(given) : '';
}
