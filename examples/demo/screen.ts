import { setTimeout as sleep } from 'node:timers/promises';
import { styleText } from 'node:util';

/** Without a terminal nothing waits at reading speed, and nothing is painted over. */
export const isTerminal = process.stdout.isTTY === true;
export const width = Math.max(40, Math.min(process.stdout.columns ?? 80, 80));

/** Colours only where they are seen and wanted: `styleText` looks for a terminal and for NO_COLOR. */
export const paint = {
  bold: (text: string) => styleText('bold', text),
  dim: (text: string) => styleText('dim', text),
  red: (text: string) => styleText('red', text),
  green: (text: string) => styleText('green', text),
  yellow: (text: string) => styleText('yellow', text),
  cyan: (text: string) => styleText('cyan', text),
};

export function write(text: string): void {
  process.stdout.write(text);
}

export function line(text = ''): void {
  write(`${text}\n`);
}

export function title(number: number, text: string): void {
  const rule = '─'.repeat(Math.max(2, width - text.length - 5));
  line(`\n${paint.cyan(String(number))}  ${paint.bold(text)} ${paint.dim(rule)}\n`);
}

/** Leaves time for reading. */
export async function pause(ms: number): Promise<void> {
  if (isTerminal) await sleep(ms);
}

export function clip(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Breaks a text at its spaces into lines of at most `length`. */
export function wrap(text: string, length: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let last = '';
    for (const word of paragraph.split(/(?<= )/)) {
      if (`${last}${word}`.trimEnd().length > length && last !== '') {
        lines.push(last.trimEnd());
        last = '';
      }
      last += word;
    }
    lines.push(clip(last.trimEnd(), length));
  }
  return lines;
}

/** A frame around rows of a name and a value. */
export function box(rows: readonly (readonly [string, string])[]): void {
  const inside = width - 4;
  const edge = '─'.repeat(inside + 2);
  line(paint.dim(`┌${edge}┐`));
  for (const [name, value] of rows) {
    const shown = clip(value, inside - 10).padEnd(inside - 10);
    line(`${paint.dim('│')} ${paint.cyan(name.padEnd(10))}${shown} ${paint.dim('│')}`);
  }
  line(paint.dim(`└${edge}┘`));
}

let failures = 0;

/** Says what was looked up, and remembers when it does not hold. */
export function check(claim: string, holds: boolean): void {
  if (!holds) failures += 1;
  line(holds ? `${paint.green('✔')} ${claim}` : paint.red(`✖ ${claim}: does not hold`));
}

/** Claims that did not hold. */
export function failedChecks(): number {
  return failures;
}
