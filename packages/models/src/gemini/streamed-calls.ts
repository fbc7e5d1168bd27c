import type { ToolUseBlock } from '@x/core';
import { recordOf } from '../wire/json-values.ts';
import type { WirePart } from './part-data.ts';
import { PartialArgs } from './partial-args.ts';

/** A block that is still being written. */
export type Growing<Block> = { -readonly [Key in keyof Block]: Block[Key] };

/** A call whose arguments come piece by piece. */
export interface StreamedCall {
  readonly block: Growing<ToolUseBlock>;
  readonly args: PartialArgs;
  /** Whether more is to come. */
  isOpen: boolean;
}

/** The streamed calls of a reply. A chunk names the call that it goes on with by id, by name, or not at all. */
export class StreamedCalls {
  /** Opened in this order. Those at the end that are closed are removed when they are met. */
  readonly #calls: StreamedCall[] = [];
  /** By the service's own ids; closed ones too, because some chunks do not say that more will come. */
  readonly #byId = new Map<string, StreamedCall>();
  readonly #known = new Set<ToolUseBlock>();
  /** The last one of each name. */
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

  /** Whether a call is one of these. */
  has(block: ToolUseBlock): boolean {
    return this.#known.has(block);
  }

  /** The call that a chunk goes on with. A name without arguments announces the next call, once the one before has got some. */
  find(id: string, name: string, chunk: WirePart): StreamedCall | undefined {
    const same = id === '' ? undefined : this.#byId.get(id);
    if (same && (same.isOpen || !isAnnouncement(chunk))) return same;
    if (name === '') return this.#lastOpen();
    if (id !== '') return undefined;
    const last = this.#byName.get(name);
    return last?.isOpen && (last.args.isEmpty || !isAnnouncement(chunk)) ? last : undefined;
  }

  /** Takes what a chunk says of the call. */
  add(call: StreamedCall, { args, partialArgs, willContinue }: WirePart): void {
    call.args.replace(args);
    call.args.add(partialArgs);
    // a value that goes on has no end without the call's
    const goesOn = willContinue === true || (Array.isArray(partialArgs) && partialArgs.some(isUnfinished));
    if (goesOn && !call.isOpen) this.#calls.push(call);
    call.isOpen = goesOn;
    if (!goesOn) call.block.input = call.args.value({ cut: false });
  }

  /** Says that nothing more will come: a call that was to go on is an unfinished one, however the reply ended. */
  end(): void {
    for (const call of this.#calls.splice(0)) if (call.isOpen) call.block.input = call.args.value({ cut: true });
  }

  #lastOpen(): StreamedCall | undefined {
    while (this.#calls.at(-1)?.isOpen === false) this.#calls.pop();
    return this.#calls.at(-1);
  }
}

/** A piece of a value of which more is to come. */
function isUnfinished(piece: unknown): boolean {
  return recordOf(piece)?.['willContinue'] === true;
}

/** A call without arguments so far. */
function isAnnouncement({ args, partialArgs, willContinue }: WirePart): boolean {
  return willContinue === true && !args && !partialArgs;
}
