import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SessionStore } from '../../src/index.ts';
import type { Action, Place, Schedule, Step } from './steering-schedule.ts';

/** Does what an action says. */
export type Act = (action: Action, place: Place) => Promise<unknown>;

/**
 * Goes through the points of a session and has each action done at the first point that has come and that fits. Since all waits go
 * through it, the same schedule is the same session again.
 */
export class Stage {
  readonly #steps: Step[];
  readonly #delays: readonly number[];
  readonly #act: Act;
  #points = 0;
  #operations = 0;
  /** One higher for each crash: what belongs to an earlier life never comes back. */
  #life = 0;
  #crash = Promise.withResolvers<void>();
  /** Whether the store operation at which the crash came is still done. */
  #applied = false;

  constructor({ steps, delays }: Schedule, act: Act) {
    this.#steps = [...steps];
    this.#delays = delays;
    this.#act = act;
  }

  get hasMore(): boolean {
    return this.#steps.length > 0;
  }

  /** Resolves when the processes of this life end. */
  get crashed(): Promise<void> {
    return this.#crash.promise;
  }

  crash(applied: boolean): void {
    this.#life += 1;
    this.#applied = applied;
    this.#crash.resolve();
  }

  /** After a crash: new processes. */
  rise(): void {
    this.#crash = Promise.withResolvers();
  }

  /** One point. What is due is done; it is waited for where that cannot be a circle. */
  async pass(place: Place): Promise<void> {
    const life = this.#life;
    this.#points += 1;
    for (const step of this.#steps.filter(({ at }) => at <= this.#points)) {
      if (life === this.#life && fits(step.action, place)) await this.#do(step, place);
    }
    if (life !== this.#life) await never();
  }

  /** The next action, whenever it was planned. False when there is none, or none that fits. */
  async hasten(place: Place): Promise<boolean> {
    const life = this.#life;
    const step = this.#steps.find(({ action }) => fits(action, place));
    if (!step) return false;
    this.#points = Math.max(this.#points, step.at);
    await this.#do(step, place);
    await nextTurn();
    if (life !== this.#life) await never();
    return true;
  }

  /** The store as a process of this life sees it: each operation is a point, and takes its time. Writes are done and answered in the order in which they are asked for. */
  store(store: SessionStore): SessionStore {
    const life = this.#life;
    const alive = async () => (life === this.#life ? undefined : await never());
    const slow = async <R>(operation: () => Promise<R>): Promise<R> => {
      await this.#wait();
      await alive();
      const value = await operation();
      await this.#wait();
      return value;
    };
    let last: Promise<unknown> = Promise.resolve();
    const through =
      <A extends unknown[], R>(operation: (...values: A) => Promise<R>, isWrite: boolean) =>
      async (...values: A): Promise<R> => {
        await alive();
        const work = () => slow(() => operation(...values));
        await this.#throughStore(life, () => operation(...values));
        const done = isWrite ? last.then(work) : work();
        if (isWrite) last = done.catch(() => undefined);
        const value = await done;
        await alive();
        return value;
      };
    return {
      ...store,
      acquire: through(store.acquire, true),
      release: through(store.release, true),
      append: through(store.append, true),
      enqueue: through(store.enqueue, true),
      inbox: through(store.inbox, false),
    };
  }

  /** A crash at a store operation leaves it done or not done, and unheard either way. */
  async #throughStore(life: number, operation: () => Promise<unknown>): Promise<void> {
    this.#points += 1;
    for (const step of this.#steps.filter(({ at }) => at <= this.#points)) {
      if (life !== this.#life || !fits(step.action, 'store')) continue;
      void this.#do(step, 'store');
    }
    if (life === this.#life) return;
    if (this.#applied) await operation().catch(() => undefined);
    await never();
  }

  async #do(step: Step, place: Place): Promise<void> {
    this.#steps.splice(this.#steps.indexOf(step), 1);
    const { action } = step;
    const acting = this.#act(action, place);
    if (place !== 'store' && !(action.kind === 'send' && !action.awaited)) await acting;
  }

  async #wait(): Promise<void> {
    const turns = this.#delays[this.#operations++ % this.#delays.length]!;
    for (let turn = 0; turn < turns; turn++) await nextTurn();
  }
}

/** A reader leaves or closes where it reads. */
function fits({ kind }: Action, place: Place): boolean {
  return place === 'reader' || (kind !== 'leave' && kind !== 'close') || place === 'idle';
}

export function never(): Promise<never> {
  return new Promise(() => undefined);
}
