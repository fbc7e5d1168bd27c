import { dirname, join, resolve } from 'node:path';
import { AgentError, isAgentError } from '@x/core';
import { messageOf } from '@x/core/internal';
import * as is from '@x/errors/option-rules';
import { checkOptions, type OptionRules } from '@x/errors/option-rules';
import { checkRole, inOrder } from './check-role.ts';
import {
  codeOf,
  makeDirectory,
  NoFile,
  namesIn,
  readSmallFile,
  removeAbandoned,
  removeFile,
  replaceFile,
  syncDirectory,
} from './durable-file.ts';
import type { Role } from './role.ts';
import {
  damaged,
  isRoleFileName,
  LARGEST_ROLE_FILE,
  readRole,
  roleFileName,
  unreadable,
  writeRole,
} from './role-file.ts';
import type { RoleStore } from './role-store.ts';

/** Options of a `fileRoleStore`. */
export interface FileRoleStoreOptions {
  /** Created on the first save, private to its user. Several stores and processes may share it. */
  readonly directory: string;
  /**
   * Called for each file that `list` left out, with `ROLE_FILE_DAMAGED`, `ROLE_FILE_NEWER` or `ROLE_FILE_UNREADABLE`, the file in the
   * message and in `details.path`. Default: a warning of the process.
   */
  readonly onDamaged?: (error: AgentError) => void;
}

const OPTIONS: OptionRules<FileRoleStoreOptions> = { directory: is.required(is.filePath), onDamaged: is.callback };

/**
 * Keeps each role in its own JSON file, replaced in one step: a reader sees the complete old or new file, also after a kill or a power cut.
 * A file that is damaged, or written by a newer version, is reported and its role is missing; the others are present. Saves of one role
 * through one store happen in the order of the calls; among several processes the last one wins.
 * @throws ValidationError for an unknown option or an empty directory
 */
export function fileRoleStore(options: FileRoleStoreOptions): RoleStore {
  checkOptions('The options of fileRoleStore', options, OPTIONS);
  const { directory, onDamaged = warn } = options;
  return new FileRoleStore(resolve(directory), onDamaged);
}

class FileRoleStore implements RoleStore {
  readonly #directory: string;
  readonly #onDamaged: (error: AgentError) => void;
  /** The last unfinished call for each file. */
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #lists = new Set<Promise<unknown>>();
  #settled = false;
  #closed = false;

  constructor(directory: string, onDamaged: (error: AgentError) => void) {
    this.#directory = directory;
    this.#onDamaged = onDamaged;
  }

  async list(): Promise<readonly Role[]> {
    this.#checkOpen();
    const listing = this.#readAll();
    this.#lists.add(listing);
    try {
      return await listing;
    } finally {
      this.#lists.delete(listing);
    }
  }

  async save(role: Role): Promise<void> {
    this.#checkOpen();
    const checked = checkRole(role);
    const name = roleFileName(checked.id);
    const content = writeRole(checked);
    await this.#inTurn(name, () => this.#replace(name, content));
  }

  async delete(id: string): Promise<boolean> {
    this.#checkOpen();
    const name = roleFileName(id);
    return await this.#inTurn(name, () => removeFile(this.#directory, name));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.allSettled([...this.#last.values(), ...this.#lists]);
  }

  async #replace(name: string, content: Uint8Array): Promise<void> {
    await makeDirectory(this.#directory);
    await this.#settleDirectory();
    await this.#refuseNewer(name);
    try {
      await replaceFile(this.#directory, name, content);
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error;
      // A process that was stopped for long may find its unfinished file removed.
      await makeDirectory(this.#directory);
      await replaceFile(this.#directory, name, content);
    }
  }

  /** Flushes the parent once: the process that created the directory may have been killed before its name was on disk. */
  async #settleDirectory(): Promise<void> {
    if (this.#settled) return;
    await syncDirectory(dirname(this.#directory)).catch(() => undefined); // not every directory may be opened
    this.#settled = true;
  }

  /** Refuses to replace a file of a newer version, whose unknown fields would be lost. A damaged file may be replaced. */
  async #refuseNewer(name: string): Promise<void> {
    await this.#read(name).catch((error: unknown) => {
      if (!isAgentError(error) || error.code !== 'ROLE_FILE_DAMAGED') throw error;
    });
  }

  async #readAll(): Promise<readonly Role[]> {
    const names = await namesIn(this.#directory);
    await removeAbandoned(this.#directory, names);
    const roles: Role[] = [];
    for (const name of names.filter(isRoleFileName)) {
      const role = await this.#readOrReport(name);
      if (role) roles.push(role);
    }
    return inOrder(roles);
  }

  async #readOrReport(name: string): Promise<Role | undefined> {
    try {
      return await this.#read(name);
    } catch (error) {
      if (!isAgentError(error)) throw error;
      this.#onDamaged(error);
      return undefined;
    }
  }

  /** Undefined when the file is missing, or was removed meanwhile. */
  async #read(name: string): Promise<Role | undefined> {
    const path = join(this.#directory, name);
    let bytes: Uint8Array | undefined;
    try {
      bytes = await readSmallFile(path, LARGEST_ROLE_FILE);
    } catch (error) {
      throw error instanceof NoFile ? damaged(path, messageOf(error), error) : unreadable(path, error);
    }
    return bytes && readRole(bytes, { path, name });
  }

  /** Runs after all earlier calls for the same file. */
  async #inTurn<T>(name: string, call: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name);
    const mine = before === undefined ? call() : before.then(call, call);
    this.#last.set(name, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(name) === mine) this.#last.delete(name);
    }
  }

  #checkOpen(): void {
    if (this.#closed) throw new AgentError('The role store is closed; open another', { code: 'ROLE_STORE_CLOSED' });
  }
}

function warn({ message, code }: AgentError): void {
  process.emitWarning(message, { type: 'RoleStoreWarning', code });
}
