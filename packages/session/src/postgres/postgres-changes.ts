import type { Access } from './postgres-access.ts';

/** Milliseconds between two looks at the sessions that are followed in this process. */
const LOOK_MS = 250;
/** Milliseconds after which a session that nobody asks about is no longer followed. */
const FORGET_MS = 5_000;
const HEADS = `select id, number::text || '.' || head as place from :schema.sessions where id = any($1::text[])`;

interface Followed {
  /** As the last look has found it; empty before. */
  place: string;
  /** Appends through this store. */
  own: number;
  /** By `performance.now()`. */
  askedAt: number;
}

/**
 * Tells changes of sessions without waiting: one query for all that are followed, four times a second while any is. A notification with each
 * append would make all commits of the server wait for each other.
 */
export class PostgresChanges {
  readonly #access: Access;
  readonly #followed = new Map<string, Followed>();
  #timer: NodeJS.Timeout | undefined;

  constructor(access: Access) {
    this.#access = access;
  }

  /** A text that is another one within a second of an append by anybody. @throws SessionError `SESSION_CLOSED` */
  of(sessionId: string): string {
    this.#access.assertOpen();
    let followed = this.#followed.get(sessionId);
    if (!followed) this.#followed.set(sessionId, (followed = { place: '', own: 0, askedAt: 0 }));
    followed.askedAt = performance.now();
    this.#wait();
    return `${followed.place}/${followed.own}`;
  }

  /** To be called after each append through this store. */
  appended(sessionId: string): void {
    const followed = this.#followed.get(sessionId);
    if (followed) followed.own += 1;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#followed.clear();
  }

  #wait(): void {
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_MS).unref();
  }

  /** Never rejects: while the store is slow, the next look finds out. */
  async #look(): Promise<void> {
    const forgotten = performance.now() - FORGET_MS;
    for (const [id, { askedAt }] of this.#followed) if (askedAt < forgotten) this.#followed.delete(id);
    const ids = [...this.#followed.keys()];
    try {
      const rows = ids.length > 0 ? await this.#access.read(HEADS, [ids]) : [];
      const places = new Map(rows.map(({ id, place }) => [id, String(place)]));
      for (const id of ids) {
        const followed = this.#followed.get(id);
        if (followed) followed.place = places.get(id) ?? 'gone';
      }
    } catch {
      // the reader that follows asks the store itself
    }
    this.#timer = undefined;
    if (this.#followed.size > 0) this.#wait();
  }
}
