import { ValidationError } from '@x/core';
import { knownNames, present } from '@x/core/internal';

/** A parsed command file. */
export interface CommandText {
  readonly description?: string;
  readonly argumentHint?: string;
  /** The text to send, its placeholders still to be filled in. */
  readonly body: string;
}

const KEYS = ['description', 'argument-hint'];
const FENCE = '---';
/** Only these end a line, so that lines are numbered as editors number them. */
const LINE_END = /\r\n|\n/;

/**
 * Parses a command file: markdown, optionally after a header between two `---` lines. Each header line is `key: value`, empty or a comment
 * (`#`); quotes around a value are removed.
 * @throws ValidationError naming file and line
 */
export function parseCommandFile(text: string, file: string): CommandText {
  const lines = text.split(LINE_END);
  const end = lines[0]?.trimEnd() === FENCE ? endOfFront(lines, file) : -1;
  const facts = new Map<string, string>();
  for (let index = 1; index < end; index++) readFact(lines[index]!, { facts, file, line: index + 1 }); // end is a line's index
  const body = lines
    .slice(end + 1)
    .join('\n')
    .trim();
  if (body === '') throw broken(file, end + 2, 'there is no text to send');
  const description = facts.get('description');
  const argumentHint = facts.get('argument-hint');
  return { body, ...present({ description, argumentHint }) };
}

/** The error for an invalid command file, with its line. */
export function broken(file: string, line: number, what: string): ValidationError {
  return new ValidationError(`The command file ${file}, line ${line}: ${what}`, 'commandDirectories');
}

function endOfFront(lines: readonly string[], file: string): number {
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === FENCE);
  if (end < 0) throw broken(file, 1, `the line ${FENCE} opens what no second one closes`);
  return end;
}

interface FactPlace {
  readonly facts: Map<string, string>;
  readonly file: string;
  readonly line: number;
}

function readFact(text: string, { facts, file, line }: FactPlace): void {
  const trimmed = text.trim();
  if (trimmed === '' || trimmed.startsWith('#')) return;
  const colon = text.indexOf(':');
  if (colon < 0) throw broken(file, line, `expected \`key: value\``);
  const key = text.slice(0, colon).trimEnd();
  if (!KEYS.includes(key)) {
    throw broken(file, line, `the key ${JSON.stringify(key)} is not known; ${knownNames(key, KEYS)}`);
  }
  if (facts.has(key)) throw broken(file, line, `the key ${key} is there twice`);
  facts.set(key, valueOfLine(text.slice(colon + 1).trim(), { file, line }));
}

function valueOfLine(text: string, { file, line }: Pick<FactPlace, 'file' | 'line'>): string {
  if (/^[|>][+-]?\d?$/.test(text)) throw broken(file, line, 'a value must stand on one line');
  const value = unquoted(text);
  if (value === undefined) throw broken(file, line, `the quotes of ${text} do not fit`);
  if (value === '') throw broken(file, line, 'the value is missing');
  return value;
}

/** Undefined when the quotes do not match. */
function unquoted(text: string): string | undefined {
  const quote = text[0];
  if (quote !== '"' && quote !== "'") return text;
  const inner = text.length > 1 && text.endsWith(quote) ? text.slice(1, -1) : undefined;
  if (inner === undefined || quote === "'") return inner?.replaceAll("''", "'");
  return inner.replaceAll(/\\(["\\])/g, '$1');
}
