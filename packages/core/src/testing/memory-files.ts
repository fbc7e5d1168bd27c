import { AgentError, ValidationError } from '@x/errors';
import type { FileStat, PathOptions, Workspace } from '../workspace.ts';

type Node =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly mode: number; readonly modifiedMs: number }
  | { readonly kind: 'directory'; readonly modifiedMs: number }
  | { readonly kind: 'symlink'; readonly target: string; readonly modifiedMs: number };
type FileVerbs = Omit<Workspace, 'cwd' | 'env' | 'spawn' | 'fetch'>;

const MAX_LINKS = 40;
const FILE_MODE = 0o644;
const DIRECTORY_MODE = 0o755;

/**
 * The file methods of a workspace over a map of absolute paths, initially `files` (text as UTF-8). Time is a counter: every change is one
 * millisecond later.
 */
export function memoryFiles(cwd: string, files: Readonly<Record<string, string | Uint8Array>>): FileVerbs {
  const tree = new MemoryTree(cwd);
  for (const [path, content] of Object.entries(files)) {
    tree.write(path, typeof content === 'string' ? new TextEncoder().encode(content) : content);
  }
  return {
    resolve: async (path) => tree.resolve(path),
    readFile: async (path, options) => tree.read(tree.meant(path, options)),
    writeFile: async (path, content, options) => tree.write(tree.meant(path, options), content, options?.mode),
    makeLink: async (path, target, options) => tree.link(tree.meantName(path, options), target),
    makeDirectory: async (path, options) => tree.makeDirectory(tree.resolve(tree.meant(path, options))),
    remove: async (path, options) => tree.remove(tree.meantName(path, options)),
    stat: async (path, options) => tree.stat(tree.meantName(path, options)),
    async *list(directory, options) {
      yield* tree.list(tree.meant(directory, options));
    },
  };
}

class MemoryTree {
  readonly #cwd: string;
  readonly #nodes = new Map<string, Node>();
  #now = 0;

  constructor(cwd: string) {
    this.#cwd = cwd;
    this.makeDirectory(cwd);
  }

  resolve(path: string): string {
    let rest = segmentsOf(this.#absolute(path));
    let reached = '';
    for (let links = 0; rest.length > 0; ) {
      const next = `${reached}/${rest[0]!}`;
      const node = this.#nodes.get(next);
      rest = rest.slice(1);
      if (node?.kind !== 'symlink') {
        reached = next;
        continue;
      }
      links += 1;
      if (links > MAX_LINKS) throw fault('ELOOP', `${path} goes through more than ${MAX_LINKS} links`);
      rest = [...segmentsOf(normal(node.target, reached)), ...rest];
      reached = '';
    }
    return reached === '' ? '/' : reached;
  }

  /** The path, refused when it was meant as a place without links and one is in it. */
  meant(path: string, { noFollow = false }: PathOptions = {}): string {
    const now = noFollow ? this.resolve(path) : path;
    if (noFollow && now !== this.#absolute(path)) throw fault('PATH_CHANGED', `${path} leads to ${now}`);
    return path;
  }

  /** As `meant`, where the name itself may be a link. */
  meantName(path: string, options?: PathOptions): string {
    this.meant(parentOf(this.#absolute(path)), options);
    return path;
  }

  read(path: string): Uint8Array {
    const node = this.#nodes.get(this.resolve(path));
    if (!node) throw fault('ENOENT', `${path} does not exist`);
    if (node.kind !== 'file') throw fault('EISDIR', `${path} is a directory`);
    return node.bytes.slice();
  }

  write(path: string, content: Uint8Array, mode?: number): void {
    const target = this.resolve(path);
    const old = this.#nodes.get(target);
    if (old?.kind === 'directory' || target === '/') throw fault('EISDIR', `${path} is a directory`);
    this.makeDirectory(parentOf(target));
    const kept = old?.kind === 'file' ? old.mode : FILE_MODE;
    this.#nodes.set(target, { kind: 'file', bytes: content.slice(), mode: mode ?? kept, modifiedMs: this.#tick() });
  }

  link(path: string, target: string): void {
    if (target.includes('\0')) throw new ValidationError('A link target must not hold a NUL character', 'target');
    const place = this.#own(path);
    if (this.#nodes.has(place)) throw fault('EEXIST', `${path} exists`);
    this.makeDirectory(parentOf(place));
    this.#nodes.set(place, { kind: 'symlink', target, modifiedMs: this.#tick() });
  }

  makeDirectory(path: string): void {
    const segments = segmentsOf(path);
    segments.forEach((_, index) => {
      const place = `/${segments.slice(0, index + 1).join('/')}`;
      const node = this.#nodes.get(place);
      if (node && node.kind !== 'directory') throw fault('ENOTDIR', `${place} is not a directory`);
      if (!node) this.#nodes.set(place, { kind: 'directory', modifiedMs: this.#tick() });
    });
  }

  remove(path: string): void {
    const place = this.#own(path);
    const node = this.#nodes.get(place);
    if (!node) throw fault('ENOENT', `${path} does not exist`);
    if (node.kind === 'directory' && this.#namesIn(place).length > 0) throw fault('ENOTEMPTY', `${path} is not empty`);
    this.#nodes.delete(place);
  }

  stat(path: string): FileStat | undefined {
    const node = this.#nodes.get(this.#own(path));
    if (!node) return undefined;
    const size = node.kind === 'file' ? node.bytes.length : 0;
    const mode = node.kind === 'file' ? node.mode : node.kind === 'directory' ? DIRECTORY_MODE : 0o777;
    return { kind: node.kind, size, mode, modifiedMs: node.modifiedMs };
  }

  async *list(directory: string): ReturnType<Workspace['list']> {
    const place = this.resolve(directory);
    const node = this.#nodes.get(place);
    if (!node && place !== '/') throw fault('ENOENT', `${directory} does not exist`);
    if (node && node.kind !== 'directory') throw fault('ENOTDIR', `${directory} is not a directory`);
    for (const name of this.#namesIn(place)) {
      const entry = this.#nodes.get(`${place === '/' ? '' : place}/${name}`);
      if (entry) yield { name, kind: entry.kind };
    }
  }

  /** The location of the name itself: the links of its parents are resolved, its own is not. */
  #own(path: string): string {
    const absolute = this.#absolute(path);
    const parent = this.resolve(parentOf(absolute));
    return `${parent === '/' ? '' : parent}/${absolute.slice(absolute.lastIndexOf('/') + 1)}`;
  }

  #absolute(path: string): string {
    if (path.includes('\0')) throw new ValidationError('A path must not hold a NUL character', 'path');
    return normal(path, this.#cwd);
  }

  #namesIn(place: string): string[] {
    const prefix = place === '/' ? '/' : `${place}/`;
    const below = [...this.#nodes.keys()].filter((path) => path.startsWith(prefix));
    return below.map((path) => path.slice(prefix.length)).filter((name) => !name.includes('/'));
  }

  #tick(): number {
    this.#now += 1;
    return this.#now;
  }
}

function fault(code: string, message: string): AgentError {
  return new AgentError(message, { code });
}

function normal(path: string, base: string): string {
  const parts: string[] = [];
  for (const part of segmentsOf(path.startsWith('/') ? path : `${base}/${path}`)) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '');
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
