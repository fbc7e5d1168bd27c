import { isAgentError, SessionError } from '@x/core';
import { messageOf } from '@x/core/internal';
import type { SessionEntry } from './entry.ts';
import { apply, emptyState, type SessionState } from './fold.ts';
import { bodyIn } from './large-body.ts';
import { FORMAT_STEPS, type FormatStep } from './log-format.ts';
import type { EntryRange } from './session-store.ts';
import { type Mark, type MarkedSnapshot, readingSnapshot } from './snapshot.ts';

/** The state of a session, loaded from its log. */
export interface LoadedState {
  /** Owned by the reader, who may continue to fold into it. */
  readonly state: SessionState;
  /** Entries covered by the snapshot that was used; 0 without one. */
  readonly covered: number;
  /** The last entry that was read; absent when nothing was. */
  readonly mark?: Mark | undefined;
}

export interface LoadOptions {
  /** The state folded earlier from the same log: only entries appended since are read, into it. */
  readonly known?: LoadedState;
  /** Steps that convert older formats. Default: those of this version. */
  readonly steps?: readonly FormatStep[];
}

/** Folds a log, entry by entry. */
export class Loading {
  readonly range: EntryRange;
  readonly #sessionId: string;
  readonly #state: SessionState;
  readonly #covered: number;
  readonly #steps: readonly FormatStep[];
  #mark: Mark | undefined;

  constructor(sessionId: string, found: LoadedState | undefined, { known, steps = FORMAT_STEPS }: LoadOptions = {}) {
    const begun = known ?? found ?? { state: emptyState(), covered: 0 };
    this.#mark = begun.mark;
    this.#sessionId = sessionId;
    this.#steps = steps;
    this.#state = begun.state;
    this.#covered = begun.covered;
    this.range = { after: begun.state.head };
  }

  /** Folds one entry; `blob` has the bytes when the entry stands for a large body. */
  add({ seq, at, epoch, body }: SessionEntry, blob: Uint8Array | undefined): void {
    const next = this.#state.head + 1;
    if (seq !== next) {
      throw new SessionError(`The log of session ${this.#sessionId} has no entry ${next}; restore it from a copy`, {
        code: 'LOG_DAMAGED',
      });
    }
    try {
      apply(this.#state, body?.type === 'blob' ? bodyIn(body, blob) : body, this.#steps);
    } catch (cause) {
      throw unreadable(this.#sessionId, seq, cause);
    }
    this.#mark = { seq, at, epoch };
  }

  done(): LoadedState {
    if (this.#state.cwd === '') throw unreadable(this.#sessionId, 1, 'It is missing, or of another kind');
    return { state: this.#state, covered: this.#covered, mark: this.#mark };
  }
}

/** The state in a snapshot, in steps; undefined for one that does not fit. */
export function* startingAt(sessionId: string, found: MarkedSnapshot): Generator<void, LoadedState | undefined> {
  const state = yield* readingSnapshot(sessionId, found);
  return state && { state, covered: state.head, mark: found.mark };
}

function unreadable(sessionId: string, seq: number, cause: unknown): SessionError {
  return new SessionError(`Entry ${seq} of session ${sessionId} cannot be read: ${messageOf(cause)}`, {
    code: isAgentError(cause) && cause.code === 'LOG_TOO_NEW' ? 'LOG_TOO_NEW' : 'LOG_DAMAGED',
    cause,
  });
}
