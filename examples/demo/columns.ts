import { clip, isTerminal, line, paint, width, wrap, write } from './screen.ts';

/** Texts that grow at the same time: side by side on a terminal, as lines with a name elsewhere. */
export class Columns {
  readonly #texts: Map<string, string>;
  readonly #longest: number;
  readonly #columnWidth: number;
  #drawn = 0;

  constructor(names: readonly string[]) {
    this.#texts = new Map(names.map((name) => [name, '']));
    this.#longest = Math.max(...names.map((name) => name.length));
    this.#columnWidth = Math.floor((width - 3 * (names.length - 1)) / names.length);
    if (!isTerminal) return;
    line(names.map((name) => paint.cyan(name.padEnd(this.#columnWidth))).join(paint.dim(' │ ')));
  }

  add(name: string, text: string): void {
    if (text === '') return;
    const before = this.#texts.get(name) ?? '';
    const lines = `${before}${text}`.split('\n');
    this.#texts.set(name, isTerminal ? lines.join('\n') : (lines.at(-1) ?? ''));
    if (isTerminal) return this.#draw();
    for (const done of lines.slice(0, -1)) line(`${name.padEnd(this.#longest)} │ ${done}`);
  }

  /** Draws over what was drawn before. */
  #draw(): void {
    const columns = [...this.#texts.values()].map((text) => wrap(text.trimEnd(), this.#columnWidth));
    const height = Math.max(...columns.map((lines) => lines.length));
    if (this.#drawn > 0) write(`\u001b[${this.#drawn}A`);
    for (let row = 0; row < height; row++) {
      const cells = columns.map((lines) => clip(lines[row] ?? '', this.#columnWidth).padEnd(this.#columnWidth));
      line(`\u001b[2K${cells.map(painted).join(paint.dim(' │ '))}`);
    }
    this.#drawn = height;
  }
}

function painted(cell: string): string {
  if (cell.startsWith('●')) return paint.bold(cell);
  return cell.startsWith('  └') ? paint.dim(cell) : cell;
}
