import type { ToolUseBlock } from '@x/core';
import { recordOf } from '../wire/json-values.ts';
import type { WirePart } from './part-data.ts';
import { PartialArgs } from './partial-args.ts';

/** A block that is still growing. */
export type Growing<Block> = { -readonly [Key in keyof Block]: Block[Key] };

/** A call whose arguments arrive in pieces. */
export interface StreamedCall {
  readonly block: Growing<ToolUseBlock>;
  readonly args: PartialArgs;
  /** True while more may arrive. */
  isOpen: boolean;
}

/** The streamed calls of a reply. A chunk identifies the call that it continues by id, by name, or not at all. */
export class StreamedCalls {
  /** In the order of opening. Closed ones at the end are removed when they are met. */
  readonly #calls: StreamedCall[] = [];
  /** By the service's own ids; closed ones too, because some chunks do not announce a continuation. */
  readonly #byId = new Map<string, StreamedCall>();
  readonly #known = new Set<ToolUseBlock>();
  /** The last call of each name. */
  readonly #byName = new Map<string, StreamedCall>();

  /** `id` is the service's own, empty without one. */
  open(id: string, block: ToolUseBlock): StreamedCall {
    const call: StreamedCall = { block, args: new PartialArgs(), isOpen: true };
    this.#calls.push(call);
    this.#known.add(block);
    if (id !== '') this.#byId.set(id, call);
    this.#byName.set(block.name, call);
    return call;
  }

  /** True when the block is one of these calls. */
  has(block: ToolUseBlock): boolean {
    return this.#known.has(block);
  }

  /** The call that a chunk continues. A name without arguments announces the next call, once the one before has arguments. */
  find(id: string, name: string, chunk: WirePart): StreamedCall | undefined {
    const same = id === '' ? undefined : this.#byId.get(id);
    if (same && (same.isOpen || !isAnnouncement(chunk))) return same;
    if (name === '') return this.#lastOpen();
    if (id !== '') return undefined;
    const last = this.#byName.get(name);
    return last?.isOpen && (last.args.isEmpty || !isAnnouncement(chunk)) ? last : undefined;
  }

  /** Adds the data of a chunk to the call. */
  add(call: StreamedCall, { args, partialArgs, willContinue }: WirePart): void {
    call.args.replace(args);
    call.args.add(partialArgs);
    // a value that continues ends only with the call
    const goesOn = willContinue === true || (Array.isArray(partialArgs) && partialArgs.some(isUnfinished));
    if (goesOn && !call.isOpen) this.#calls.push(call);
    call.isOpen = goesOn;
    if (!goesOn) call.block.input = call.args.value({ cut: false });
  }

  /** Ends all calls: one that was to continue is unfinished, however the reply ended. */
  end(): void {
    for (const call of this.#calls.splice(0)) if (call.isOpen) call.block.input = call.args.value({ cut: true });
  }

  #lastOpen(): StreamedCall | undefined {
    while (this.#calls.at(-1)?.isOpen === false) this.#calls.pop();
    return this.#calls.at(-1);
  }
}

/** True for a piece of a value that continues. */
function isUnfinished(piece: unknown): boolean {
  return recordOf(piece)?.['willContinue'] === true;
}

/** True for a call without arguments so far. */
function isAnnouncement({ args, partialArgs, willContinue }: WirePart): boolean {
  return willContinue === true && !args && !partialArgs;
}
