import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** A proxy of TCP that ends connections after so many bytes of answers. */
export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** Connections that are open now, and all that there were. */
  readonly open: ReadonlySet<Socket>;
  readonly count: number;
  target: number;
  /** The bytes of each coming connection that pass; none left: all pass. */
  cuts: number[];
  /** Ends all connections. */
  cut(): void;
}

export async function cuttingProxy(): Promise<CuttingProxy> {
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((client) => {
    count += 1;
    open.add(client);
    let left = proxy.cuts.shift() ?? Number.POSITIVE_INFINITY;
    const upstream = connect(proxy.target, '127.0.0.1');
    const end = () => {
      open.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => upstream.write(bytes));
    upstream.on('data', (bytes) => {
      client.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) client.end(end);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = {
    port: (server.address() as { port: number }).port,
    open,
    get count() {
      return count;
    },
    target: 0,
    cuts: [] as number[],
    cut: () => {
      for (const socket of open) socket.destroy();
    },
    [Symbol.asyncDispose]: async () => {
      proxy.cut();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
