import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * What happens to connections during a cut. `refuse`: they are reset, new ones at once. `stall`: nothing passes, and what was sent arrives
 * after it. `forget`: nothing passes; connections of the time stay dead for ever. `deaf`: requests arrive, answers do not; reset after it.
 */
export type CutKind = 'refuse' | 'stall' | 'forget' | 'deaf';
export const CUT_KINDS: readonly CutKind[] = ['refuse', 'stall', 'forget', 'deaf'];

/** A connection of a client, and the one to the server that belongs to it. */
interface Link {
  readonly near: Socket;
  readonly far: Socket;
}

/** A network between clients and a server behind a socket: a TCP proxy that can be cut. */
export class CutNetwork {
  readonly #socket: string;
  readonly #server = createServer({ allowHalfOpen: true }, (near) => this.#connect(near));
  readonly #links = new Set<Link>();
  /** Dead until the end. */
  readonly #forgotten = new Set<Link>();
  #port = 0;
  #kind: CutKind | undefined;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  /** `socket`: the path of the server's. */
  static async open(socket: string): Promise<CutNetwork> {
    const network = new CutNetwork(socket);
    const server = network.#server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    network.#port = (server.address() as AddressInfo).port; // safe: it listens on TCP
    return network;
  }

  /** Of a database behind it. */
  urlOf(database: string): string {
    return `postgres://host@127.0.0.1:${this.#port}/${database}`;
  }

  /** Of a Redis behind it. */
  get redisUrl(): string {
    return `redis://127.0.0.1:${this.#port}`;
  }

  cut(kind: CutKind): void {
    this.#kind = kind;
    for (const link of this.#links) this.#hold(link);
  }

  mend(): void {
    const kind = this.#kind;
    this.#kind = undefined;
    for (const link of this.#links) {
      if (kind === 'deaf') reset(link);
      else if (kind === 'forget') this.#forget(link);
      else for (const side of sidesOf(link)) side.resume();
    }
  }

  /** Safe to call twice. */
  [Symbol.dispose](): void {
    for (const link of [...this.#links, ...this.#forgotten]) reset(link);
    this.#server.close();
  }

  #connect(near: Socket): void {
    const far = createConnection({ path: this.#socket, allowHalfOpen: true });
    const link = { near, far };
    this.#links.add(link);
    pass(near, far);
    pass(far, near);
    for (const side of [near, far])
      side.once('close', () => {
        this.#links.delete(link);
        if (!this.#forgotten.has(link)) reset(link);
      });
    if (this.#kind) this.#hold(link);
  }

  #hold(link: Link): void {
    if (this.#kind === 'refuse') return reset(link);
    link.far.pause();
    if (this.#kind !== 'deaf') link.near.pause();
  }

  #forget(link: Link): void {
    this.#links.delete(link);
    this.#forgotten.add(link);
  }
}

/** Cuts all of them for so many milliseconds; resolves to when, by the clock of the machine. */
export async function cutFor(networks: readonly CutNetwork[], kind: CutKind, ms: number): Promise<number> {
  const at = Date.now();
  for (const network of networks) network.cut(kind);
  await sleep(ms);
  for (const network of networks) network.mend();
  return at;
}

function pass(from: Socket, to: Socket): void {
  from.on('data', (bytes) => to.write(bytes));
  from.on('end', () => to.end());
  from.on('error', () => undefined); // it closes
}

function reset(link: Link): void {
  for (const side of sidesOf(link)) if (!side.destroyed) side.destroy();
}

function sidesOf({ near, far }: Link): readonly [Socket, Socket] {
  return [near, far];
}
