const NOTE_CHARACTERS = 300;

/** Collects whole lines up to the limit of a tool's answer, with room for a note at the end. */
export class BoundedLines {
  readonly lines: string[] = [];
  #room = MAX_OUTPUT_CHARACTERS - NOTE_CHARACTERS;

  /** False, and nothing is added, when the line does not fit any more. */
  add(line: string): boolean {
    if (line.length + 1 > this.#room) return false;
    this.#room -= line.length + 1;
    this.lines.push(line);
    return true;
  }

  /** The lines, followed by the note in brackets, if any. */
  text(note?: string): string {
    const text = this.lines.join('\n');
    return note === undefined ? text : `${text}\n\n[${note}]`;
  }
}

/** How many characters a built-in tool answers with, notes included. */
export const MAX_OUTPUT_CHARACTERS = 30_000;
