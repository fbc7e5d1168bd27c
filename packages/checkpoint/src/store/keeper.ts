import { AgentError } from '@x/errors';
import {
  type Action,
  type Change,
  isOnTheWay,
  MOVED_IN,
  type Plan,
  planRewind,
  restOf,
} from '../rewind/plan-rewind.ts';
import { type Entry, isSame, type TreePath } from '../tree/entry.ts';
import { type Known, type Look, type LookOptions, lookAtPaths, lookAtTree } from '../tree/known-tree.ts';
import { isBornBefore, movedInTest } from '../tree/moved-in.ts';
import { parentOf, Scope } from '../tree/scope.ts';
import { placeOf, statOf } from '../tree/walk-tree.ts';
import { ContentRoom } from './content-room.ts';
import { setDirectoryMode } from './directory-mode.ts';
import { Ledger, type LedgerCounts, type Point, type RecordedPoint } from './ledger.ts';
import { RootSite } from './root-site.ts';

export interface KeeperOptions {
  readonly file: string;
  /** Real and absolute. */
  readonly root: string;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
  readonly maxTotalBytes: number;
  /** Left out with what is below, and with the neighbours that databases have. */
  readonly never?: readonly TreePath[];
  readonly waitMs?: number;
}

/** What a rewind is to undo. */
export interface RewindTarget {
  readonly message: string;
  readonly call?: string | undefined;
  /** Only these and what is below. */
  readonly paths?: readonly TreePath[] | undefined;
  readonly force: boolean;
}

type CallsOf = (path: TreePath, after: Entry | null) => readonly string[] | null;

/**
 * Knows a tree as it was seen last, keeps every content it has had, and which change was whose. Synchronous: it runs in a thread of its own.
 */
export class Keeper {
  readonly #ledger: Ledger;
  readonly #options: KeeperOptions;
  readonly #known: Map<TreePath, Known>;
  readonly #room: ContentRoom;
  #scope: Scope | undefined;
  readonly #site: RootSite;
  #leftOut: Look['leftOut'] = [];
  /** The beginning of the last look at the whole tree. */
  #lookedAt: number | undefined;
  #atWork: readonly string[];
  /** A rewind whose end could not be recorded: what it has done is recorded before anything else. */
  #unended: { readonly id: string; readonly actions: readonly Action[] } | undefined;

  /** @throws AgentError `CHECKPOINT_FILE`, `CHECKPOINT_BUSY` */
  constructor(options: KeeperOptions) {
    this.#options = options;
    this.#ledger = new Ledger(options.file, options.waitMs);
    const root = this.#ledger.fact('root');
    if (root !== undefined && root !== options.root) {
      this.#ledger.close();
      const message = `The checkpoints in ${options.file} are about ${root}, not about ${options.root}`;
      throw new AgentError(message, { code: 'CHECKPOINT_FILE' });
    }
    const scope = this.#ledger.fact('scope');
    if (scope !== undefined) this.#scope = new Scope(options.never, new Map(JSON.parse(scope)));
    this.#atWork = JSON.parse(this.#ledger.fact('atWork') ?? '[]');
    this.#known = new Map(this.#ledger.tree());
    this.#site = new RootSite(options.root, this.#ledger);
    this.#room = new ContentRoom(this.#ledger, options.maxTotalBytes);
  }

  /**
   * Looks at the whole tree. What has changed belongs to the calls, or with null to somebody else. The first look only learns the tree.
   * From then on the calls `atWork` are: should this process die, what it has not looked at may be theirs.
   * @throws AgentError `CHECKPOINT_ROOT`, `CHECKPOINT_TOO_LARGE`
   */
  scan(calls: readonly string[] | null, atWork: readonly string[] = []): readonly Change[] {
    if (this.#unended) this.finish(this.#unended.id, this.#unended.actions);
    const isFirst = this.#scope === undefined;
    const at = Date.now();
    const scope = this.#scope ?? new Scope(this.#options.never);
    const { changes, look } = this.#commit(() => {
      const found = lookAtTree(this.#known, this.#looking(scope));
      this.#countFiles(found);
      if (isFirst) {
        this.#ledger.setFact('scope', JSON.stringify([...scope.texts]));
        this.#ledger.setFact('root', this.#options.root);
        this.#site.settle();
      }
      return { look: found, changes: this.#record(found, isFirst ? undefined : () => calls) };
    }, atWork);
    this.#scope = scope;
    this.#lookedAt = at;
    this.#leftOut = look.leftOut;
    return changes;
  }

  /** Looks at these paths alone; gives back what is left out of them. Before the first look at the tree it does nothing. */
  touch(paths: readonly TreePath[], calls: readonly string[] | null, atWork: readonly string[] = []): Look['leftOut'] {
    const scope = this.#scope;
    if (!scope) return [];
    if (this.#unended) this.finish(this.#unended.id, this.#unended.actions);
    const { look } = this.#commit(() => {
      const found = lookAtPaths(paths, this.#known, this.#looking(scope));
      this.#record(found, () => calls);
      return { look: found };
    }, atWork);
    return look.leftOut;
  }

  /** The calls that were at work at the last look, maybe of a process that has died since. */
  atWork(): readonly string[] {
    return this.#atWork;
  }

  /** Opens the checkpoint of a message; one that is open stays as it is. From then on the root belongs where it is. */
  point(point: Point): void {
    this.#ledger.transaction(() => {
      this.#ledger.addPoint(point);
      this.#site.settle();
    });
  }

  /** A point with the changes of calls before the next one; undefined for an unknown message. */
  recordedPoint(message: string): RecordedPoint | undefined {
    return this.#ledger.recordedPoint(message);
  }

  /**
   * Plans a rewind; undefined for an unknown message. The tree has just been looked at.
   * @throws AgentError `CHECKPOINT_ROOT` with `force` below a directory that is elsewhere
   */
  plan({ message, call, paths, force }: RewindTarget): Plan | undefined {
    if (force && this.#site.isElsewhere) throw this.#site.error('To go back here, open a new checkpoint first');
    const since = this.#ledger.changesSince(message);
    if (!since) return undefined;
    const isMeant = (path: TreePath) =>
      paths === undefined || paths.some((one) => one === '' || path === one || path.startsWith(`${one}/`));
    const changes = since.changes
      .filter(({ path }) => isMeant(path))
      .map((one) => (call === undefined || one.calls?.includes(call) ? one : { ...one, calls: null }));
    const isOlder = (path: TreePath) => isBornBefore(since.at, statOf(this.#options.root, path));
    return this.#keepingFull(planRewind(changes, (path) => this.#present(path), { force, isOlder }));
  }

  /** A directory stays that holds what somebody else has made, or what is left out. */
  #keepingFull(plan: Plan): Plan {
    const gone = new Set(plan.actions.flatMap(({ path, to }) => (to === null ? [path] : [])));
    const full = new Set<TreePath>();
    for (const path of [...this.#known.keys(), ...this.#leftOut.map((one) => one.path)]) {
      if (gone.has(path)) continue;
      for (let above = parentOf(path); above !== '' && !full.has(above); above = parentOf(above)) full.add(above);
    }
    return { ...plan, actions: plan.actions.filter(({ path, to }) => to !== null || !full.has(path)) };
  }

  /** Records what a rewind is about to do, so that it can be completed and undone. */
  begin(id: string, actions: readonly Action[], at: number): void {
    this.#ledger.transaction(() => {
      this.#ledger.addPoint({ message: id, role: 'user', at });
      this.#ledger.addRewind(id, actions);
    });
  }

  /**
   * The rewind that was cut off, with what is left of it. To be asked before any other look.
   * @throws AgentError `CHECKPOINT_ROOT` when it cannot be completed, since the directory is elsewhere
   */
  unfinished(): { readonly id: string; readonly actions: readonly Action[] } | undefined {
    const open = this.#ledger.openRewind();
    this.#site.check();
    if (!open) return undefined;
    if (this.#site.isElsewhere) throw this.#site.error('A rewind that was cut off is completed there');
    this.#lookAfter(open.id, open.actions);
    return { id: open.id, actions: open.actions.flatMap((one) => restOf(one, this.#present(one.path)) ?? []) };
  }

  /** Ends a rewind: what it has done is its own, and can be undone like the changes of a call. */
  finish(id: string, actions: readonly Action[]): void {
    this.#unended = { id, actions };
    this.#lookAfter(id, actions);
    this.#ledger.endRewind(id);
    this.#unended = undefined;
  }

  #lookAfter(id: string, actions: readonly Action[]): void {
    const aims = new Map(actions.map((one) => [one.path, one]));
    const parents = new Set<TreePath>();
    for (const path of aims.keys()) for (let up = parentOf(path); up !== ''; up = parentOf(up)) parents.add(up);
    const isOwn = (path: TreePath, after: Entry | null) => {
      const aim = aims.get(path);
      return aim ? isSame(aim.to, after) || isOnTheWay(aim, after) : parents.has(path);
    };
    this.#commit(() => {
      const look = lookAtTree(this.#known, this.#looking(this.#scope!));
      this.#record(look, (path, after) => (isOwn(path, after) ? [id] : null));
      return { look };
    });
  }

  /** The content of a hash. @throws AgentError `CHECKPOINT_FILE` when it is lost */
  read(hash: string): Uint8Array {
    const content = this.#ledger.contents.read(hash);
    if (content) return content;
    throw new AgentError(`The checkpoints in ${this.#options.file} have lost a content`, { code: 'CHECKPOINT_FILE' });
  }

  setMode(path: TreePath, mode: number): void {
    setDirectoryMode(placeOf(this.#options.root, path), mode);
  }

  counts(): LedgerCounts {
    return this.#ledger.counts();
  }

  /** What the last look at the whole tree has left out. */
  leftOut(): Look['leftOut'] {
    return this.#leftOut;
  }

  copyTo(file: string, upTo?: string): void {
    this.#ledger.copyTo(file, upTo);
  }

  close(): void {
    this.#ledger.close();
  }

  #present(path: TreePath): Entry | null {
    return this.#known.get(path)?.entry ?? null;
  }

  #looking(scope: Scope): LookOptions {
    const { root, maxFileBytes } = this.#options;
    return { root, scope, maxFileBytes, keep: (hash, content) => this.#room.keep(hash, content) };
  }

  /** @throws AgentError `CHECKPOINT_TOO_LARGE` */
  #countFiles({ seen }: Look): void {
    const { root, maxFiles } = this.#options;
    if (this.#known.size + seen.size <= maxFiles) return;
    let count = this.#known.size;
    for (const [path, known] of seen) count += (known ? 1 : 0) - (this.#known.has(path) ? 1 : 0);
    if (count <= maxFiles) return;
    throw new AgentError(
      `${root} holds more than ${maxFiles} files; name a directory with fewer, or leave some out by .gitignore`,
      { code: 'CHECKPOINT_TOO_LARGE' },
    );
  }

  #record({ differences, seen }: Look, callsOf: CallsOf | undefined): Change[] {
    for (const [path, known] of seen) this.#ledger.setTree(path, known);
    if (!callsOf) return [];
    const at = Date.now();
    const isMoved = movedInTest({ root: this.#options.root, lookedAt: this.#lookedAt, known: this.#known });
    const changes = differences.map((one) => {
      const calls = callsOf(one.path, one.after);
      const isNew = calls !== null && one.before === null && one.after?.kind === 'file';
      return { ...one, calls: isNew && isMoved(one.path) ? [...calls, MOVED_IN] : calls };
    });
    for (const change of changes) this.#ledger.addChange(change, at);
    return changes;
  }

  /** Records a look, or nothing of it; what is known follows the file. */
  #commit<T extends { readonly look: Look }>(act: () => T, atWork: readonly string[] = this.#atWork): T {
    this.#site.check();
    const made = this.#room.begin(() =>
      this.#ledger.transaction(() => {
        if (String(atWork) !== String(this.#atWork)) this.#ledger.setFact('atWork', JSON.stringify(atWork));
        return act();
      }),
    );
    this.#atWork = atWork;
    for (const [path, known] of made.look.seen) {
      if (known === null) this.#known.delete(path);
      else this.#known.set(path, known);
    }
    return made;
  }
}
