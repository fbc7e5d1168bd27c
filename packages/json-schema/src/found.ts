import { pointerPart, shownPath, unknownParameter, type ValidationIssue } from '@x/errors';

/** Collects the faults of one value, up to a limit. */
export class Found {
  readonly issues: ValidationIssue[] = [];
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  get full(): boolean {
    return this.issues.length >= this.#most;
  }

  /** An empty one with the same limit. */
  fresh(): Found {
    return new Found(this.#most);
  }

  add(issues: readonly ValidationIssue[]): void {
    for (const issue of issues) if (!this.full) this.issues.push(issue);
  }

  wrongType(path: string, expected: string): void {
    this.#tell(path, `Invalid type${named(path)}: expected ${expected}`, expected);
  }

  wrong(path: string, expected: string, reason?: string): void {
    const because = reason === undefined ? '' : ` (${reason})`;
    this.#tell(path, `Invalid value${named(path)}: expected ${expected}${because}`, expected);
  }

  missing(path: string, name: string, expected: string): void {
    const place = `${path}/${pointerPart(name)}`;
    this.#tell(place, `Required parameter missing: ${shownPath(place)}`, expected);
  }

  unknown(path: string, name: string, known: readonly string[]): void {
    if (!this.full) this.issues.push(unknownParameter(name, known, path));
  }

  #tell(path: string, message: string, expected: string): void {
    if (!this.full) this.issues.push({ path, message, expected });
  }
}

function named(path: string): string {
  return path === '' ? '' : ` for parameter ${shownPath(path)}`;
}
