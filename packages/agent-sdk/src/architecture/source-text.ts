/** A file of the repository: its path from the root, with `/`, and its text. */
export interface SourceText {
  readonly path: string;
  readonly text: string;
}

/** A violation of a rule, with its place. */
export interface Violation {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** A rule is a pure function over all files, so that a test can hand it a bad one. */
export type Rule = (files: readonly SourceText[]) => readonly Violation[];

export function isSource(file: SourceText): boolean {
  return file.path.endsWith('.ts');
}

export function isTest(file: SourceText): boolean {
  return /\.(test|test-d)\.ts$/.test(file.path) || file.path.startsWith('packages/agent-sdk/src/architecture/');
}

/** The published test kits: `testing.ts` and everything under `testing/`. */
export function isTestKit(file: SourceText): boolean {
  return /^packages\/[^/]+\/src\/testing(\/|\.ts$)/.test(file.path);
}

/** `core` for `packages/core/src/errors.ts`. */
export function packageOf(path: string): string {
  return path.split('/')[1] ?? '';
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
