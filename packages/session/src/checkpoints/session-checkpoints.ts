import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Checkpointer, CheckpointHandlerOptions, CheckpointStatistics } from '@x/checkpoint';
import { type AgentHandler, isAgentError, SessionError, ValidationError, type Workspace } from '@x/core';
import { messageOf, present } from '@x/core/internal';
import { checkpointFile } from '../host/home.ts';

/** Milliseconds that a run waits for the end of one in another process, which has let the session go already. */
const HAND_OVER_MS = 10_000;
/** The call to which the changes of command hooks belong. */
const HOOKS = 'hooks';

/** Where the checkpoints of a session come from. */
export interface CheckpointPlace {
  readonly sessionId: string;
  readonly cwd: string;
  /** Files that the store writes. */
  readonly leaveOut: readonly string[];
}

/** Checkpoints of the session that is forked, up to and including a message. */
export interface CopiedCheckpoints {
  readonly source: SessionCheckpoints;
  readonly upTo?: string;
}

/** The checkpoints of a run: opened with its beginning, closed before its session is let go. */
export interface RunCheckpoints {
  readonly handler: AgentHandler;
  close(): Promise<void>;
}

/** The checkpoints of one session. Their file is open while a run, a rewind or a copy needs it, so that another process can go on. */
export class SessionCheckpoints {
  readonly #place: CheckpointPlace;
  readonly #file: string;
  #holders = 0;
  #opening: Promise<Checkpointer> | undefined;
  #open: Checkpointer | undefined;
  #closing: Promise<void> = Promise.resolve();
  #tell: ((error: unknown) => void) | undefined;
  /** As they were when the file was closed last. */
  statistics: CheckpointStatistics | null = null;

  constructor(place: CheckpointPlace) {
    this.#place = place;
    this.#file = checkpointFile(place.sessionId);
  }

  /** Works with the checkpoints, and closes them when nobody else does. `waitMs`: for another process that has them open. */
  async using<T>(work: (files: Checkpointer) => Promise<T>, waitMs: number = HAND_OVER_MS): Promise<T> {
    const files = await this.#hold(waitMs);
    try {
      return await work(files);
    } finally {
      await this.#release();
    }
  }

  /** @param tell Called when the files could not be looked at; the run goes on. */
  async ofRun(
    tell: (error: unknown) => void,
    isThroughWorkspace: CheckpointHandlerOptions['isThroughWorkspace'],
  ): Promise<RunCheckpoints> {
    const { checkpointHandler } = await import('@x/checkpoint'); // not before somebody wants checkpoints
    let held: Promise<Checkpointer> | undefined;
    this.#tell = tell;
    const checkpointer = () => (held ??= this.#hold(HAND_OVER_MS));
    return {
      handler: checkpointHandler({ checkpointer, ...present({ isThroughWorkspace }) }),
      close: async () => {
        const opened = await held?.catch(() => undefined); // the run has failed with it
        held = undefined;
        if (opened) await this.#release();
      },
    };
  }

  /** The same workspace; what its commands change while a run is under way can be taken back too. */
  watchingHooks(workspace: Workspace): Workspace {
    return {
      ...workspace,
      spawn: (command, options) => (this.#open?.watch(workspace, HOOKS) ?? workspace).spawn(command, options),
    };
  }

  /**
   * Looks at the files for the first time, or after others have been at work; when another process has them open, it does that.
   * @throws AgentError for files that cannot be remembered; with `copied` ValidationError when there are none to copy, SessionError
   * `SESSION_BUSY` while that session is run elsewhere
   */
  async begin(copied?: CopiedCheckpoints): Promise<void> {
    if (copied) await this.#copy(copied);
    const isNew = !existsSync(this.#file);
    try {
      await this.using(async () => undefined, 0);
    } catch (error) {
      if (isAgentError(error) && error.code === 'CHECKPOINT_BUSY') return;
      if (isNew || copied) this.remove();
      throw error;
    }
  }

  async #copy({ source, upTo }: CopiedCheckpoints): Promise<void> {
    const { sessionId } = source.#place;
    if (!existsSync(source.#file)) {
      throw new ValidationError(`copyCheckpoints: session ${sessionId} has no checkpoints`, 'copyCheckpoints');
    }
    try {
      await source.using((files) => files.copyTo(this.#file, present({ upTo })), 0);
    } catch (error) {
      if (!isAgentError(error) || error.code !== 'CHECKPOINT_BUSY') throw error;
      const message = `Session ${sessionId} is run elsewhere; fork it without copyCheckpoints, or when that run has ended`;
      throw new SessionError(message, { code: 'SESSION_BUSY', cause: error });
    }
  }

  remove(): void {
    removeCheckpoints(this.#place.sessionId);
  }

  async #hold(waitMs: number): Promise<Checkpointer> {
    this.#holders += 1;
    try {
      this.#opening ??= this.#closing.then(async () => (this.#open = await this.#opened(waitMs)));
      return await this.#opening;
    } catch (error) {
      this.#holders -= 1;
      this.#opening = undefined;
      throw error;
    }
  }

  async #opened(waitMs: number): Promise<Checkpointer> {
    const { cwd, leaveOut } = this.#place;
    const { createCheckpointer } = await import('@x/checkpoint');
    try {
      const onProblem = (error: unknown) => this.#tell?.(error);
      return await createCheckpointer({ cwd, file: this.#file, leaveOut, waitMs, onProblem });
    } catch (error) {
      if (!(error instanceof ValidationError)) throw error;
      throw new ValidationError(`enableFileCheckpointing: ${messageOf(error)}`, 'enableFileCheckpointing');
    }
  }

  async #release(): Promise<void> {
    this.#holders -= 1;
    const files = this.#open;
    if (this.#holders > 0 || !files) return;
    this.#open = undefined;
    this.#opening = undefined;
    this.#closing = (async () => {
      this.statistics = await files.statistics().catch(() => this.statistics); // a thread that is gone knows nothing more
      await files.close();
    })();
    await this.#closing;
  }
}

/** Removes the checkpoints of a session that is gone, with all contents. */
export function removeCheckpoints(sessionId: string): void {
  const file = checkpointFile(sessionId);
  if (!existsSync(dirname(file))) return; // nor can it be made, perhaps
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
}
