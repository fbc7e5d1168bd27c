import type { ToolUseBlock } from '@x/core';
import { isObject } from '@x/errors';
import { textIn } from '../wire/json-values.ts';
import { newCallId } from '../wire/tool-input.ts';
import type { ToolInputTeller } from '../wire/tool-input-teller.ts';
import { CALL_FIELDS } from './carried-fields.ts';
import { StreamedArguments } from './streamed-arguments.ts';
import { argumentsInput, isObjectText } from './tool-arguments.ts';

/** A piece of a call, unchecked. */
export interface CallPiece {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
  /** A call of a tool with plain text as input. */
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
  /** Fields that the service expects back with the call. */
  carried: Readonly<Record<string, unknown>> | undefined;
}
type NamedPiece = Pick<OpenCall, 'index' | 'id' | 'name'> & { readonly arguments: string };

/**
 * Collects streamed tool calls. Pieces are matched by `index`; for servers that omit it, or give the same one to every call, a new id and a
 * name begin a new call when the call before it is complete. Of several ids and names the last non-empty one counts, as with the official
 * client; a name that arrives in pieces is joined when that gives the name of a tool.
 */
export class ToolCalls {
  readonly #calls: OpenCall[] = [];
  readonly #byIndex = new Map<number, OpenCall>();
  readonly #byId = new Map<string, OpenCall>();
  /** Calls begun together without an index: their continuations arrive in the same order. */
  #together: OpenCall[] = [];
  readonly #known: readonly string[];
  readonly #tellsInput: ToolInputTeller | undefined;

  /** `known`: the names of the tools; `tellsInput` gets each piece of a call's arguments. */
  constructor(known: readonly string[], tellsInput?: ToolInputTeller) {
    this.#known = known;
    this.#tellsInput = tellsInput;
  }

  get size(): number {
    return this.#calls.length;
  }

  /** True when each call has all of its arguments, as far as can be known: plain text never does. */
  get areWhole(): boolean {
    return this.#calls.every(({ isText, arguments: { text } }) => !isText && isObject(argumentsInput(text, true)));
  }

  /** Adds a piece; `position` is its index among those that arrived with it. */
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
    this.#tellsInput?.add(call, call, given);
    if (piece.index === undefined && !isRest(piece)) {
      if (position === 0) this.#together = [];
      this.#together[position] = call;
    }
    if (custom) call.isText = true;
    for (const field of CALL_FIELDS) if (part[field]) call.carried = { ...call.carried, [field]: part[field] };
  }

  /** The calls; `cut` means that the reply was ended early, so that empty arguments may be incomplete. */
  blocks({ provider, cut }: { provider: string; cut: boolean }): ToolUseBlock[] {
    const ids = new Set<string>();
    return this.#inOrder().map(({ id: given, name, arguments: { text }, isText, carried }) => {
      const id = given === '' || ids.has(given) ? newCallId() : given;
      ids.add(id);
      const input = isText ? text : argumentsInput(text, cut);
      return { type: 'tool_use', id, name, input, ...(carried ? { providerData: { provider, data: carried } } : {}) };
    });
  }

  /** By index, the service's order, if every call has one. */
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
    // some services increase the index between the beginning of a call and its continuation
    if (!call) return isRest(piece) && last && isUnfinished(last) ? last : undefined;
    if (name === '' && byId && call.id !== id) return byId;
    return name === '' || call.name === '' || !isAnother(call, piece) ? call : undefined;
  }

  /** Opens a call, unless the piece is empty. */
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

/** True when a piece has nothing but arguments. */
function isRest({ id, name }: NamedPiece): boolean {
  return id === '' && name === '';
}

function isUnfinished(call: OpenCall): boolean {
  return call.name !== '' && !call.isText && !call.arguments.isWhole;
}

/** True when a piece with a name begins another call than the one found for it. */
function isAnother(call: OpenCall, { index, id, name, arguments: given }: NamedPiece): boolean {
  const newId = id !== '' && call.id !== '' && id !== call.id;
  if (id !== '' && id === call.id) return false;
  if (newId && index === undefined) return true;
  if (newId && call.arguments.text === '') return name !== call.name;
  if (!call.arguments.isWhole) return false;
  // without a new id, a repetition is the same call
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
