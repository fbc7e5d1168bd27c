import { type IgnoreRules, ignoreRules } from '@x/core/path-pattern';
import { isAscii, type TreePath } from './entry.ts';

/** What is left out whatever the directory says: other programs own it, or make it again. */
const ALWAYS = ['.git', 'node_modules/', '.venv/', '__pycache__/', '.agent-sdk-tmp-*'].join('\n');

/** True for a path that is remembered as a directory, or as something else, as asked. */
export type IsKnown = (path: TreePath, isDirectory: boolean) => boolean;

const nothing: IsKnown = () => false;

/** The paths that are remembered. The rules are those of the first scan; a later `.gitignore` changes nothing. */
export class Scope {
  /** Texts of the `.gitignore` files by their directories. */
  readonly texts: Map<TreePath, string>;
  readonly #isOpen: boolean;
  readonly #rules = new Map<TreePath, IgnoreRules>([['', ignoreRules(ALWAYS, '/')]]);
  readonly #never: ReadonlySet<TreePath>;

  /**
   * @param never Left out, whatever the rules say, with the neighbours that SQLite makes for a database.
   * @param texts Those of the first scan; absent while it is made, which adds them.
   */
  constructor(never: readonly TreePath[] = [], texts?: ReadonlyMap<TreePath, string>) {
    this.#never = new Set(never.flatMap((path) => ['', '-wal', '-shm', '-journal'].map((end) => path + end)));
    this.#isOpen = texts === undefined;
    this.texts = new Map(texts);
    const inOrder = [...this.texts].sort(([one], [other]) => one.length - other.length); // outer ones first
    for (const [directory, text] of inOrder) this.#add(directory, text);
  }

  /** Takes the rules of a directory, while the first scan is made. */
  note(directory: TreePath, text: string): void {
    if (!this.#isOpen) return;
    this.texts.set(directory, text);
    this.#add(directory, text);
  }

  /**
   * The rule that leaves the path out; undefined when it is remembered.
   * @param isKnown What these rules have let in before, they let in again: they stay as they are. Default: nothing
   */
  leftOut(path: TreePath, isDirectory: boolean, isKnown: IsKnown = nothing): string | undefined {
    if (this.#isNever(path)) return 'leaveOut';
    if (isKnown(path, isDirectory)) return undefined;
    const rules = this.#rulesFor(path);
    const spelled = `/${decoded(path)}`;
    return rules.ignores(spelled, isDirectory) ? rules.decisive(spelled, isDirectory) : undefined;
  }

  #add(directory: TreePath, text: string): void {
    const outer = this.#rulesFor(directory === '' ? '' : `${directory}/x`);
    this.#rules.set(directory, ignoreRules(text, `/${decoded(directory)}`, outer));
  }

  #isNever(path: TreePath): boolean {
    if (this.#never.size === 0) return false;
    for (let place = path; place !== ''; place = parentOf(place)) if (this.#never.has(place)) return true;
    return false;
  }

  /** Of the nearest directory around the path that has rules. */
  #rulesFor(path: TreePath): IgnoreRules {
    for (let directory = parentOf(path); ; directory = parentOf(directory)) {
      const rules = this.#rules.get(directory);
      if (rules) return rules;
    }
  }
}

/** The directory around a path; '' for the root. */
export function parentOf(path: TreePath): TreePath {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The text of a path for patterns, which know no bytes. */
function decoded(path: TreePath): string {
  return isAscii(path) ? path : Buffer.from(path, 'latin1').toString();
}
