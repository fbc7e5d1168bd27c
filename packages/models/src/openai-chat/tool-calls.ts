import type { ToolUseBlock } from '@x/core';
import { newCallId, toolInput } from '../wire/tool-input.ts';

/** A piece of a call, as far as it can be trusted. */
export interface CallPiece {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | null;
}
interface OpenCall {
  readonly index: number | undefined;
  id: string;
  name: string;
  arguments: string;
}

/**
 * Gathers streamed tool calls. They belong together by `index`; servers that leave it out, or give the same one to every call, start
 * a new call with a new id and a name. The first id and name that are not empty count.
 */
export class ToolCalls {
  readonly #calls: OpenCall[] = [];

  get size(): number {
    return this.#calls.length;
  }

  add({ index, id, function: part }: CallPiece): void {
    const piece = { index: typeof index === 'number' ? index : undefined, id: textOf(id), name: textOf(part?.name) };
    const call = this.#callOf(piece) ?? this.#open(piece.index);
    call.id ||= piece.id;
    call.name ||= piece.name;
    const given = part?.arguments;
    if (typeof given === 'string') call.arguments += given;
    // some servers send the arguments as an object, in one piece
    else if (typeof given === 'object' && given !== null) call.arguments += JSON.stringify(given);
  }

  /** The calls; `cut` says that the reply was ended before its time, so that empty arguments may be unfinished ones. */
  blocks({ cut }: { cut: boolean }): ToolUseBlock[] {
    return this.#calls.map(({ id, name, arguments: text }) => {
      return { type: 'tool_use', id: id || newCallId(), name, input: toolInput(text, cut) };
    });
  }

  #callOf({ index, id, name }: { index: number | undefined; id: string; name: string }): OpenCall | undefined {
    const call = index === undefined ? this.#calls.at(-1) : this.#calls.findLast((open) => open.index === index);
    if (!call || name === '' || call.name === '') return call;
    if (id !== '' && call.id !== '') return id === call.id ? call : undefined;
    return index === undefined && isComplete(call.arguments) ? undefined : call;
  }

  #open(index: number | undefined): OpenCall {
    const call: OpenCall = { index, id: '', name: '', arguments: '' };
    this.#calls.push(call);
    return call;
  }
}

function isComplete(text: string): boolean {
  return text !== '' && typeof toolInput(text, true) === 'object';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
