import { statSync } from 'node:fs';
import { AgentError } from '@x/errors';
import type { Ledger } from './ledger.ts';

/** The number of a file system, which may be another one after a restart of the machine, and that of the directory on it. */
interface Site {
  readonly device: bigint;
  readonly directory: bigint;
}

/** Where the root is. Below a directory whose file system was unmounted lies another one, which is not ours to change. */
export class RootSite {
  readonly #root: string;
  readonly #ledger: Ledger;
  /** As of the first look of this process. */
  #first: Site | undefined;
  #isElsewhere = false;

  constructor(root: string, ledger: Ledger) {
    this.#root = root;
    this.#ledger = ledger;
  }

  /** True when it is not where it was when its last checkpoint was opened, maybe by an earlier process. */
  get isElsewhere(): boolean {
    return this.#isElsewhere;
  }

  /** To be called before each look. @throws AgentError `CHECKPOINT_ROOT` when it has moved since the first one */
  check(): void {
    const site = siteOf(this.#root);
    if (!site) return;
    if (!this.#first) {
      this.#first = site;
      this.#isElsewhere = isOther(site, this.#ledger.fact('site'));
    }
    if (site.device !== this.#first.device) throw this.error('Or open the checkpoints again');
  }

  /** From now on it belongs where it is. Only inside a transaction. */
  settle(): void {
    const text = this.#first && textOf(this.#first);
    if (text !== undefined && text !== this.#ledger.fact('site')) this.#ledger.setFact('site', text);
    this.#isElsewhere = false;
  }

  error(advice: string): AgentError {
    const message = `The directory ${this.#root} is on another file system than before; mount the first one again. ${advice}`;
    return new AgentError(message, { code: 'CHECKPOINT_ROOT' });
  }
}

/** Undefined when the directory cannot be described. */
function siteOf(root: string): Site | undefined {
  try {
    const { dev: device, ino: directory } = statSync(root, { bigint: true });
    return { device, directory };
  } catch {
    return undefined;
  }
}

function textOf({ device, directory }: Site): string {
  return `${device} ${directory}`;
}

/** Another directory of another file system: either number alone changes with a restart, or with a new directory of the same name. */
function isOther({ device, directory }: Site, recorded: string | undefined): boolean {
  const [oldDevice, oldDirectory] = recorded?.split(' ') ?? [];
  return recorded !== undefined && oldDevice !== `${device}` && oldDirectory !== `${directory}`;
}
