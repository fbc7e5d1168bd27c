import { IN_DOUBT } from '../rewind/plan-rewind.ts';
import type { TreePath } from '../tree/entry.ts';
import type { LeftOut } from '../tree/walk-tree.ts';
import type { KeeperClient } from '../worker/keeper-client.ts';

/** What is recorded next to the calls themselves. */
export interface WindowsOptions {
  readonly keeper: Pick<KeeperClient, 'ask'>;
  /** Called with each look that has failed; the call goes on. */
  readonly onProblem?: ((error: unknown) => void) | undefined;
}

/**
 * Knows which calls are at work, and looks at the files before and after each. Calls at the same time share what is found. After a look
 * that has failed, what the next one finds is in doubt: it may be somebody else's as well.
 */
export class Windows {
  /** Files that calls have written although they are left out, and the rules. */
  readonly touchedLeftOut: Map<TreePath, LeftOut> = new Map();
  readonly #keeper: WindowsOptions['keeper'];
  readonly #onProblem: WindowsOptions['onProblem'];
  readonly #open = new Map<string, number>();
  readonly #owed = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();

  constructor({ keeper, onProblem }: WindowsOptions) {
    this.#keeper = keeper;
    this.#onProblem = onProblem;
  }

  /** Takes calls over that were at work when an earlier process died: what the next look finds may be theirs, or somebody else's. */
  owe(calls: readonly string[]): void {
    if (calls.length > 0) for (const call of [IN_DOUBT, ...calls]) this.#owed.add(call);
  }

  /** True while a call is at work. */
  get isOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Does things one after the other. */
  async inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(act);
    this.#last = turn.catch(() => undefined);
    return await turn;
  }

  /** The beginning of a window; the returned function ends it, once. */
  async begin(call: string): Promise<() => Promise<void>> {
    await this.inTurn(async () => {
      await this.#scan([...this.#open.keys(), call]);
      this.#open.set(call, (this.#open.get(call) ?? 0) + 1);
    });
    let ended: Promise<void> | undefined;
    return () =>
      (ended ??= this.inTurn(async () => {
        const calls = this.#calls();
        const left = this.#open.get(call)! - 1;
        if (left > 0) this.#open.set(call, left);
        else this.#open.delete(call);
        await this.#scan([...this.#open.keys()], calls);
      }));
  }

  /** Runs something that changes these paths alone. */
  async aroundPaths<T>(call: string, paths: readonly TreePath[], act: () => Promise<T>): Promise<T> {
    return await this.inTurn(async () => {
      const isKnown = await this.#touch(paths, this.#calls(), [...this.#open.keys(), call]);
      try {
        return await act();
      } finally {
        // What the first look has found is told apart from this change.
        await this.#touch(paths, isKnown ? [call] : [...this.#owed, call], [...this.#open.keys()]);
      }
    });
  }

  /** A look whose failure is the caller's; nobody is at work. @throws AgentError */
  async scanNow(atWork: readonly string[] = [], calls: readonly string[] | null = this.#calls()): Promise<void> {
    await this.#keeper.ask('scan', calls, [...new Set(atWork)]);
    this.#owed.clear();
  }

  async #scan(atWork: readonly string[], calls: readonly string[] | null = this.#calls()): Promise<void> {
    try {
      await this.scanNow(atWork, calls);
    } catch (error) {
      this.#fail(error, calls);
    }
  }

  async #touch(
    paths: readonly TreePath[],
    calls: readonly string[] | null,
    atWork: readonly string[],
  ): Promise<boolean> {
    try {
      // Owed calls stay on the disk until all files are looked at: this process may die before.
      const leftOut = await this.#keeper.ask('touch', paths, calls, [...new Set([...this.#owed, ...atWork])]);
      for (const one of leftOut) this.touchedLeftOut.set(one.path, one);
      return true;
    } catch (error) {
      this.#fail(error, calls);
      return false;
    }
  }

  #fail(error: unknown, calls: readonly string[] | null): void {
    for (const call of [IN_DOUBT, ...this.#open.keys(), ...(calls ?? [])]) this.#owed.add(call);
    this.#onProblem?.(error);
  }

  /** Whose the changes since the last look are. */
  #calls(): readonly string[] | null {
    const calls = [...new Set([...this.#owed, ...this.#open.keys()])];
    return calls.length > 0 ? calls : null;
  }
}
