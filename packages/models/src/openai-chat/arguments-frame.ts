import { TextFrame } from '../wire/text-frame.ts';
import type { CallPiece } from './tool-calls.ts';
import { type ArgumentsPiece, onlyArgumentsOf, type WireChunk } from './wire-chunk.ts';

/** Pieces of a call after which many more are to be expected: a frame costs as much as to parse two. */
const WORTH_A_FRAME = 6;

/** Reads chunks that differ in nothing but a piece of a call's arguments without parsing, once a call has many of them. */
export class ArgumentsFrame {
  readonly #frame = new TextFrame('arguments');
  /** The piece of the chunk that the frame was learned from. */
  #piece: ArgumentsPiece | undefined;
  /** Chunks in a row that were parsed while no call was begun. */
  #parsed = 0;
  #begun = 0;

  /** The piece of a call in a chunk with the known frame; undefined when the chunk must be parsed. */
  pieceIn(data: string): CallPiece | undefined {
    const piece = this.#piece;
    const text = piece && this.#frame.textIn(data);
    return text === undefined ? undefined : { ...piece, function: { ...piece?.function, arguments: text } };
  }

  /** A chunk without text was parsed, before which `begun` calls had begun. */
  learn(data: string, chunk: WireChunk, begun: number): void {
    this.#parsed = begun === this.#begun ? this.#parsed + 1 : 0;
    this.#begun = begun;
    if (this.#parsed < WORTH_A_FRAME) return;
    const piece = onlyArgumentsOf(chunk);
    if (!piece || piece.function.name) return; // the first piece of a call is unlike those after it
    this.#piece = piece;
    this.#frame.learn(data, piece.function.arguments, (probe) => {
      return onlyArgumentsOf(JSON.parse(probe) as WireChunk)?.function.arguments; // safe: every field of it is looked at
    });
  }
}
