import { AgentError } from '@x/core';
import type { Client } from 'pg';
import { InTurn } from './in-turn.ts';
import type { OpenListening } from './listening.ts';
import { ANSWER_MS, CONNECT_MS, loadPg } from './pg-database.ts';

/** Opens connections of `pg` that hear notifications. @throws AgentError `STORE_FAILED` behind a pooler, and without `pg` */
export function pgListening(connectionString: string): OpenListening {
  return async ({ onText, onLost }) => {
    const { Client: MadeClient } = await loadPg();
    const client = new MadeClient({
      connectionString,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
      application_name: 'agent-sdk',
    });
    client.on('error', onLost);
    client.on('notification', ({ channel, payload = '' }) => onText(channel, payload));
    try {
      await client.connect();
      await assertDirect(client);
    } catch (error) {
      close(client);
      throw error;
    }
    unref(client);
    const turns = new InTurn(); // `pg` warns of a statement that begins before another has ended
    const run = (text: string, values: readonly unknown[] = []) =>
      turns.run('', async () => (await client.query<Record<string, string>>(text, [...values])).rows);
    return {
      query: run,
      listen: async (channel) => void (await run(`listen ${channel}`)),
      unlisten: async (channel) => void (await run(`unlisten ${channel}`)),
      close: () => close(client),
    };
  };
}

/** A pooler gives the connection to others between two statements, and notifications with it. @throws AgentError `STORE_FAILED` */
async function assertDirect(client: Client): Promise<void> {
  const { processID } = client as Client & { readonly processID?: unknown }; // safe: only compared
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  if (rows[0]?.pid === processID) return;
  throw new AgentError(
    'the address is that of a pooler, which carries no LISTEN; give `liveConnectionString` the address of the server itself, or false',
    { code: 'STORE_FAILED', statusCode: 503 },
  );
}

/** Lets the process end while the connection is open; its types leave it out. */
function unref(client: Client): void {
  const { unref: leave } = client as Client & { unref?(): void }; // safe: may be absent
  leave?.call(client);
}

/** Its farewell may never be answered. */
function close(client: Client): void {
  unref(client);
  client.end().catch(() => undefined);
}
