// 100,000 malformed requests: each is answered as the OpenAPI document says, no promise is lost, and the memory stays flat.
import { numberFrom, randomFrom, Tally } from '../../session/verify/support/tally.ts';
import { Contract, documentOf } from '../test/support/contract.ts';
import { malformedRequest } from '../test/support/malformed.ts';
import { served } from '../test/support/served.ts';
import { usedMb } from './support/used-mb.ts';

const COUNT = numberFrom('HTTP_MALFORMED_REQUESTS', 100_000);
const SEED = numberFrom('HTTP_SEED', 1);
const MOST_MB = 10;
const tally = new Tally();
const unhandled: string[] = [];
process.on('unhandledRejection', (error) => unhandled.push(String(error)));
process.on('warning', (warning) => unhandled.push(String(warning))); // such as listeners that pile up

const server = await served({ production: true });
const contract = new Contract(await documentOf(server));
const random = randomFrom(SEED);
const statuses = new Map<number, number>();
await send(COUNT / 10); // what is compiled and cached once
const before = await usedMb();
await send(COUNT);
const grown = (await usedMb()) - before;

const counted = [...statuses].toSorted(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`);
console.log(`${COUNT} requests; ${counted.join(', ')}; the memory has grown by ${grown.toFixed(1)} MB`);
tally.check('memory', grown < MOST_MB ? [] : [`grown by ${grown} MB`]);
tally.check('no unhandled rejection, no warning', unhandled);
tally.check(
  'every kind of answer is reached',
  [200, 400, 403, 404, 405, 408, 413, 415, 500, 502].filter((status) => !statuses.has(status)).map(String),
);
tally.end();

async function send(count: number): Promise<void> {
  const faults: string[] = [];
  for (let request = 0; request < count; request += 1) {
    // As on a server the loop turns, and what is registered for the end of objects is cleaned up.
    if (request % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
    const given = malformedRequest(random);
    const answer = await server.inject(given);
    statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
    faults.push(...contract.faults(given.method, given.url, answer));
    const isOfTool = /"code":"(TOOL_EXECUTION_ERROR|UPSTREAM|ODD)"/.test(answer.body);
    if (answer.statusCode >= 500 && !isOfTool) faults.push(`${answer.statusCode} for ${JSON.stringify(given)}`);
  }
  tally.check(`${count} requests`, faults);
}
