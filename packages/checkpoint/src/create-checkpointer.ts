import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AbortError, AgentError, type Workspace } from '@x/core';
import { messageOf } from '@x/core/internal';
import { ValidationError } from '@x/errors';
import * as is from '@x/errors/option-rules';
import { checkOptions, checkValue, type OptionRules } from '@x/errors/option-rules';
import { hostWorkspace } from '@x/sandbox';
import { realPlace, textOfPath } from '@x/sandbox/internal';
import { messageCheckpoint } from './history/message-checkpoint.ts';
import type { MessageCheckpoint } from './history/types.ts';
import { makeRoomFor, outsideOf, rootOf, treePathIn } from './places.ts';
import { watchingWorkspace } from './record/watching-workspace.ts';
import { Windows } from './record/windows.ts';
import { applyRewind } from './rewind/apply-rewind.ts';
import { checkRewind } from './rewind/check-rewind.ts';
import type { Plan } from './rewind/plan-rewind.ts';
import { changesOf, failedRewind, resultOf } from './rewind/rewind-result.ts';
import type { CheckpointStatistics, RewindOptions, RewindResult } from './rewind/types.ts';
import type { TreePath } from './tree/entry.ts';
import { KeeperClient } from './worker/keeper-client.ts';

export interface CheckpointerOptions {
  /** The directory whose files are remembered; neither `/` nor the home directory. */
  readonly cwd: string;
  /** Where they are kept: a file outside of `cwd`, made when it is missing. One process at a time has it open. */
  readonly file: string;
  /** More files than these are refused. Default: 200,000. */
  readonly maxFiles?: number;
  /** The content of larger files is not kept. Default: 10 MiB. */
  readonly maxFileBytes?: number;
  /**
   * Of all contents together. The oldest checkpoints are forgotten to make room, up to the last message of a user; a content that has no
   * room then is not kept. Default: 2 GiB.
   */
  readonly maxTotalBytes?: number;
  /** Files and directories that others write, such as databases in use: neither remembered nor restored. Absolute, or from `cwd`. */
  readonly leaveOut?: readonly string[];
  /** Milliseconds to wait for another process that has the file open. Default: 0. */
  readonly waitMs?: number;
  /** Called when the files could not be looked at; the program goes on. What it changed meanwhile is a conflict for a rewind. */
  readonly onProblem?: (error: unknown) => void;
}

/** Remembers the files of a directory, and puts them back. Close it. */
export interface Checkpointer extends AsyncDisposable {
  /** Opens the checkpoint of a message: the files as they are now. One that is open stays as it is. */
  checkpoint(messageId: string, options?: { readonly role?: 'user' | 'assistant' }): Promise<void>;
  /**
   * Runs something that may change files, by any program. What changes meanwhile is its doing; what has changed before is somebody else's.
   * At the same time with others they share their changes.
   */
  around<T>(run: () => Promise<T>, options?: { readonly callId?: string }): Promise<T>;
  /** Begins what `around` spans, for work that is not one function; the returned function ends it, once. */
  begin(options?: { readonly callId?: string }): Promise<() => Promise<void>>;
  /** The same workspace; what its doors and commands change belongs to the call. */
  watch(workspace: Workspace, callId: string): Workspace;
  /**
   * Takes back what calls have changed since the message. What somebody else has changed stays as it is, and is told. Programs are not run, and files that no
   * call has made are not removed. Files are wholly old or wholly new at every moment; a rewind that was cut off is completed when the file is opened again.
   * @throws ValidationError for an unknown option, AgentError `CHECKPOINT_BUSY` while a call is at work, AbortError when `signal` is aborted
   * before a file is changed
   */
  rewind(messageId: string, options?: RewindOptions): Promise<RewindResult>;
  /** The checkpoint of a message, with what calls have changed before the next one; undefined for an unknown message. */
  history(messageId: string): Promise<MessageCheckpoint | undefined>;
  statistics(): Promise<CheckpointStatistics>;
  /**
   * Copies all checkpoints into another file, which must not exist: for a copy of the conversation, `upTo` and including that message. The
   * copy keeps no later ones.
   */
  copyTo(file: string, options?: { readonly upTo?: string }): Promise<void>;
  close(): Promise<void>;
}

const OPTIONS: OptionRules<CheckpointerOptions> = {
  cwd: is.required(is.filePath),
  file: is.required(is.filePath),
  maxFiles: is.count(),
  maxFileBytes: is.count(),
  maxTotalBytes: is.count(),
  leaveOut: is.listOf(is.filePath, 'a list of paths'),
  waitMs: is.count(0),
  onProblem: is.callback,
};
const ID = is.required(is.filledText);

const MIB = 1024 * 1024;

/**
 * Opens the checkpoints of a directory, and looks at it: every file is read once.
 * @throws ValidationError for a wrong option or place; AgentError `CHECKPOINT_TOO_LARGE`, `CHECKPOINT_ROOT` (the directory cannot be read),
 * `CHECKPOINT_FILE` (cannot be made, damaged, of another program, version or directory), `CHECKPOINT_BUSY` (another process has it open)
 */
export async function createCheckpointer(options: CheckpointerOptions): Promise<Checkpointer> {
  checkOptions('createCheckpointer options', options, OPTIONS);
  const { maxFiles = 200_000, maxFileBytes = 10 * MIB, maxTotalBytes = 2 * 1024 * MIB, onProblem } = options;
  const { leaveOut = [], waitMs = 0 } = options;
  const root = rootOf(options.cwd);
  const file = outsideOf(root, options.file);
  makeRoomFor(file);
  const never = leaveOut.flatMap((path) => treePathIn(root, realPlace(resolve(root, path))) ?? []);
  const keeper = new KeeperClient({ file, root, maxFiles, maxFileBytes, maxTotalBytes, never, waitMs });
  const own = new OwnCheckpointer(root, keeper, new Windows({ keeper, onProblem }));
  try {
    await own.open();
  } catch (error) {
    await keeper.end();
    throw error;
  }
  return own;
}

class OwnCheckpointer implements Checkpointer {
  readonly #root: string;
  readonly #keeper: KeeperClient;
  readonly #windows: Windows;
  #isClosed = false;
  readonly #read = (hash: string): Promise<Uint8Array> => this.#keeper.ask('read', hash);

  constructor(root: string, keeper: KeeperClient, windows: Windows) {
    this.#root = root;
    this.#keeper = keeper;
    this.#windows = windows;
  }

  async open(): Promise<void> {
    await this.#windows.inTurn(async () => {
      const cut = await this.#keeper.ask('unfinished'); // before any other look, which would take what it has done for somebody else's
      this.#windows.owe(await this.#keeper.ask('atWork'));
      await this.#windows.scanNow();
      if (cut) await this.#apply(cut.id, cut.actions);
    });
  }

  async checkpoint(messageId: string, options: { readonly role?: 'user' | 'assistant' } = {}): Promise<void> {
    checkOptions(
      'checkpoint options',
      { messageId, ...options },
      { messageId: ID, role: is.oneOf('user', 'assistant') },
    );
    const { role = 'user' } = options;
    await this.#inTurn(() => this.#keeper.ask('point', { message: messageId, role, at: Date.now() }));
  }

  async around<T>(run: () => Promise<T>, options: { readonly callId?: string } = {}): Promise<T> {
    const end = await this.begin(options);
    try {
      return await run();
    } finally {
      await end();
    }
  }

  async begin(options: { readonly callId?: string } = {}): Promise<() => Promise<void>> {
    checkOptions('around options', options, { callId: is.filledText });
    this.#checkOpen();
    return await this.#windows.begin(options.callId ?? crypto.randomUUID());
  }

  watch(workspace: Workspace, call: string): Workspace {
    this.#checkOpen();
    return watchingWorkspace(workspace, { call, windows: this.#windows, treePath: (place) => this.#treePath(place) });
  }

  async rewind(messageId: string, options: RewindOptions = {}): Promise<RewindResult> {
    checkRewind(messageId, options);
    const { dryRun = false, force = false, callId: call, signal } = options;
    const paths = options.paths?.map((path) => this.#pathOf(path));
    if (this.#windows.isOpen) {
      throw new AgentError('A call is at work, and may be changing files; rewind when it has ended', {
        code: 'CHECKPOINT_BUSY',
      });
    }
    return await this.#inTurn(async () => {
      try {
        refuseAborted(signal);
        await this.#windows.scanNow();
        refuseAborted(signal);
        const plan = await this.#keeper.ask('plan', { message: messageId, call, paths, force });
        if (!plan) return failedRewind(this.#root, noCheckpoint(messageId), dryRun);
        return await this.#rewound(plan, { dryRun, signal });
      } catch (error) {
        if (error instanceof AbortError) throw error;
        return failedRewind(this.#root, messageOf(error), dryRun);
      }
    });
  }

  async #rewound(
    plan: Plan,
    { dryRun, signal }: { dryRun: boolean; signal: AbortSignal | undefined },
  ): Promise<RewindResult> {
    const read = this.#read;
    const placeOf = (path: TreePath) => this.#placeOf(path);
    const changes = await changesOf(plan.actions, { read, placeOf });
    const leftOut = [...(await this.#keeper.ask('leftOut')), ...this.#windows.touchedLeftOut.values()];
    refuseAborted(signal); // from here on it is completed: half of it would be a state that never was
    const isEmpty = plan.actions.length === 0;
    const id = dryRun || isEmpty ? undefined : crypto.randomUUID();
    let failed: ReadonlyMap<TreePath, string> = new Map();
    if (id !== undefined) {
      await this.#keeper.ask('begin', id, plan.actions, Date.now());
      failed = await this.#apply(id, plan.actions);
    }
    return resultOf({ plan, changes, failed, leftOut, placeOf, dryRun, rewindId: id });
  }

  /** Why paths, and with '' the whole, are not as they should be. */
  async #apply(id: string, actions: Plan['actions']): Promise<ReadonlyMap<TreePath, string>> {
    const failed = await applyRewind(actions, {
      workspace: hostWorkspace({ cwd: this.#root }),
      read: this.#read,
      setMode: (path, mode) => this.#keeper.ask('setMode', path, mode),
      placeOf: (path) => this.#placeOf(path),
    });
    try {
      await this.#keeper.ask('finish', id, actions);
    } catch (error) {
      failed.set('', `What the rewind has done is not recorded yet: ${messageOf(error)}`);
    }
    return failed;
  }

  async history(messageId: string): Promise<MessageCheckpoint | undefined> {
    checkValue('messageId', messageId, ID);
    return await this.#inTurn(async () => {
      const point = await this.#keeper.ask('recordedPoint', messageId);
      return point && (await messageCheckpoint(point, { read: this.#read, placeOf: (path) => this.#placeOf(path) }));
    });
  }

  async statistics(): Promise<CheckpointStatistics> {
    const { points, paths, pending } = await this.#inTurn(() => this.#keeper.ask('counts'));
    return { checkpointCount: points, trackedFileCount: paths, pendingChangeCount: pending };
  }

  async copyTo(file: string, options: { readonly upTo?: string } = {}): Promise<void> {
    checkOptions('copyTo options', options, { upTo: is.filledText });
    const target = outsideOf(this.#root, file);
    if (statSync(target, { throwIfNoEntry: false })) throw new ValidationError(`file ${file} exists already`, 'file');
    makeRoomFor(target);
    await this.#inTurn(() => this.#keeper.ask('copyTo', target, options.upTo));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#windows.inTurn(() => this.#keeper.ask('close').catch(() => undefined)); // nothing is lost: all is in the file
    await this.#keeper.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #inTurn<T>(act: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    return await this.#windows.inTurn(act);
  }

  #checkOpen(): void {
    if (this.#isClosed)
      throw new AgentError('These checkpoints are closed; open them again', { code: 'CHECKPOINT_CLOSED' });
  }

  #placeOf(path: TreePath): string {
    return path === '' ? this.#root : `${this.#root}/${textOfPath(path)}`;
  }

  #treePath(place: string): TreePath | undefined {
    return treePathIn(this.#root, place);
  }

  #pathOf(path: string): TreePath {
    const place = resolve(this.#root, path);
    const found = place === this.#root ? '' : this.#treePath(place);
    if (found === undefined) throw new ValidationError(`paths: ${path} lies outside of ${this.#root}`, 'paths');
    return found;
  }
}

function refuseAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new AbortError('The rewind was aborted; no file was changed');
}

function noCheckpoint(messageId: string): string {
  const why =
    'no message with this id was sent, or its checkpoint is forgotten (the oldest, once all are above maxTotalBytes)';
  return `There is no checkpoint of ${messageId}: ${why}`;
}
