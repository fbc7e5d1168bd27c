// needs: initdb postgres setpriv
// The tests of sessions (stream law, steering, resume, fork, runs, permissions, questions) with a store on a real Postgres server wherever they
// take one in memory. All must pass but those of `NOT_HERE`, each with its reason. Control: the tables of their stores are on the server.
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { PostgresServer } from './support/postgres-server.ts';
import { Tally } from './support/tally.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDERS = ['stream', 'resume', 'fork', 'run', 'permissions', 'questions'];
/** Tests about the store in memory, or about a moment that comes in the same turn of the loop there; by what they are called. */
const NOT_HERE: readonly (readonly [test: string, reason: string])[] = [
  [
    'an idle session holds nothing of its log once others were used',
    'its reads at once are those of the store in memory',
  ],
  ['a long session that is damaged says so when it is read', 'its reads at once are those of the store in memory'],
  [
    'tries on its own when the run has lost the session (SESSION_FENCED',
    'its lease has run out before the tool, which it waits for',
  ],
  [
    'a run that goes round in circles goes on counting after a crash',
    'it crashes a call later, which is then of unknown effect',
  ],
  [
    'abort() ends the run with `aborted` although the tool ignores its signal',
    'it aborts in the turn of the loop in which the call has begun',
  ],
  [
    'close() lets the reader see how the run ended, each event once',
    'it closes in the turn of the loop in which the call has begun',
  ],
];

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

/** Nearly every test has one. */
const LEAST_STORES = 500;

const tally = new Tally();
const folder = await mkdtemp(join(tmpdir(), 'tests-on-postgres-'));
const server = await PostgresServer.start(['fsync=off', 'max_connections=900']);
try {
  const found = await report(
    server.url,
    FOLDERS.map((name) => `packages/session/test/${name}/**/*.test.ts`),
  );
  const tests = found.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({ ...test, file: relative(ROOT, file.name) })),
  );
  for (const { name, message, assertionResults } of found.testResults) {
    tally.check(`${relative(ROOT, name)} is run`, assertionResults.length > 0 ? [] : [message]);
  }
  for (const { fullName, status, failureMessages, file } of tests.filter((test) => !isLeftOut(test.fullName))) {
    tally.check(`${file}: ${fullName}`, status === 'failed' ? failureMessages : []);
  }
  for (const [name] of NOT_HERE) {
    tally.check(
      `left out: ${name}`,
      tests.some((test) => test.fullName.includes(name)) ? [] : ['there is no such test'],
    );
  }
  console.log(
    `${tests.length} tests of ${found.testResults.length} files, ${NOT_HERE.length} of them left out by name`,
  );
  const stores = await storesOn(server.url);
  tally.check('control: the stores are there', stores > LEAST_STORES ? [] : [`${stores} stores`]);
  console.log(`${stores} stores on the server`);
} finally {
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
}
tally.end();

async function storesOn(connectionString: string): Promise<number> {
  const client = new Client({ connectionString });
  await client.connect();
  const { rows } = await client.query(`SELECT count(*) AS stores FROM pg_namespace WHERE nspname LIKE 't%\\_%\\_%'`);
  await client.end();
  return Number(rows[0].stores);
}

function isLeftOut(fullName: string): boolean {
  return NOT_HERE.some(([name]) => fullName.includes(name));
}

/** What the runner says of these tests. */
async function report(url: string, files: readonly string[]): Promise<Report> {
  const output = join(folder, `${Math.random()}.json`);
  const config = join(import.meta.dirname, 'support/tests-on-postgres.config.ts');
  const args = ['run', '--config', config, '--reporter=json', `--outputFile=${output}`];
  const env = { ...process.env, TESTS_ON_POSTGRES: url, TESTS: files.join(',') };
  const runner = join(ROOT, 'node_modules/vitest/vitest.mjs');
  await promisify(execFile)(process.execPath, [runner, ...args], { cwd: ROOT, env, maxBuffer: 2 ** 27 }).catch(
    () => undefined,
  ); // some fail
  return JSON.parse(await readFile(output, 'utf8')) as Report;
}
