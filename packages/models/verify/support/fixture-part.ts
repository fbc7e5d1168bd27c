import { readdirSync, readFileSync } from 'node:fs';
import type { Oracle } from '../../test/oracle/oracle.ts';
import { type Comparison, openComparer } from './compare.ts';
import type { StreamReport } from './stream-report.ts';
import { losingTheEnd } from './wrong-models.ts';

const PIECES = [1, 7, 50, undefined];

/** A stream of `test/wire`. */
export interface Fixture {
  readonly name: string;
  readonly body: Buffer;
}

export function fixturesOf(format: string): readonly Fixture[] {
  const folder = new URL(`../../test/wire/${format}/`, import.meta.url);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sse'))
    .map((file) => ({ name: file.slice(0, -'.sse'.length), body: readFileSync(new URL(file, folder)) }));
}

/** Every stream of a format beside the official client, in pieces of several sizes; and a wrong adapter, which has to differ. */
export async function fixturePart(name: string, oracle: Oracle): Promise<StreamReport> {
  const checks: StreamReport['checks'][number][] = [];
  const verdicts = new Map<string, number>();
  const fixtures = fixturesOf(oracle.format);
  const comparer = await openComparer(oracle);
  for (const fixture of fixtures) {
    const all: Comparison[] = [];
    for (const chunkBytes of PIECES) {
      all.push(await comparer.compare({ body: fixture.body, ...(chunkBytes === undefined ? {} : { chunkBytes }) }));
    }
    const [{ verdict } = { verdict: 'none' }] = all;
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
    checks.push({ name: `${name}: ${fixture.name}`, faults: faultsOf(all, oracle.known[fixture.name]) });
  }
  await comparer.close();
  checks.push(await control(name, oracle, fixtures));
  const unknown = Object.keys(oracle.known).filter((known) => !fixtures.some((fixture) => fixture.name === known));
  checks.push({ name: `${name}: known differences`, faults: unknown.map((one) => `there is no stream ${one}`) });
  const counts = [...verdicts].map(([verdict, count]) => `${count} ${verdict}`).join(', ');
  return { checks, lines: [`official client, ${name}: ${fixtures.length} streams: ${counts}`] };
}

/** What is wrong with the readings of one stream in its pieces. */
function faultsOf(all: readonly Comparison[], known: string | undefined): readonly string[] {
  const faults = all.flatMap(({ fault }) => fault ?? []);
  const kinds = [...new Set(all.map(({ verdict }) => verdict))];
  if (kinds.length > 1) faults.push(`it depends on where the bytes are split: ${kinds.join(', ')}`);
  const differs = kinds.includes('different') || kinds.includes('theirs only');
  const { ours, theirs } = all[0] ?? {};
  if (differs && known === undefined) faults.push(`${kinds[0]}: ${JSON.stringify(ours)} and ${JSON.stringify(theirs)}`);
  if (!differs && known !== undefined) faults.push(`is no longer different: ${known}`);
  return faults;
}

async function control(
  name: string,
  oracle: Oracle,
  fixtures: readonly Fixture[],
): Promise<StreamReport['checks'][number]> {
  const comparer = await openComparer({ ...oracle, open: (url) => losingTheEnd(oracle.open(url)) });
  const text = fixtures.find((fixture) => fixture.name === 'text');
  const { verdict } = await comparer.compare({ body: text?.body ?? '' });
  await comparer.close();
  const faults = verdict === 'different' ? [] : [`was not seen: ${verdict}`];
  return { name: `${name}: an adapter that drops the last delta`, faults };
}
