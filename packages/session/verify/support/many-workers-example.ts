import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

const PROGRAM = join(import.meta.dirname, '../../../../examples/many-workers/main.ts');

/** Texts that it prints, in this order. */
const SHOWN: readonly string[] = [
  'Sessions are kept in Postgres',
  'The client has sent a message to the front',
  'the client sees tool_started',
  'was killed with -9',
  'the client sees run_resumed',
  'the client sees tool_result: there are 7 lamps',
  'the client sees content: ',
  'the client sees message: To ',
  'the client sees result: success',
  'The session is idle, with 4 messages.',
];

/** Runs `examples/many-workers` in a database of its own on a server; resolves to what is wrong. Most of its time it waits for a lease to run out. */
export async function manyWorkersExample(serverUrl: string): Promise<readonly string[]> {
  const client = new Client(serverUrl);
  await client.connect();
  await client.query('create database example');
  await client.end();
  const DATABASE_URL = serverUrl.replace('/postgres?', '/example?'); // an URL without a host, of a socket
  const { OPENAI_API_KEY: _, ...env } = process.env;
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', PROGRAM], {
      env: { ...env, DATABASE_URL, NODE_OPTIONS: '--conditions=@x/source' },
      timeout: 300_000,
    });
    const isNoticed = missingIn(stdout.replaceAll('run_resumed', '')).length > 0;
    return isNoticed ? missingIn(stdout) : ['control: nobody notices that no worker goes on'];
  } catch (error) {
    return [String(error)];
  }
}

function missingIn(output: string): readonly string[] {
  let from = 0;
  return SHOWN.flatMap((text) => {
    const at = output.indexOf(text, from);
    if (at < 0) return [`it does not show, in its place: ${text}`];
    from = at;
    return [];
  });
}
