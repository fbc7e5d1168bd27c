import { randomFrom } from '../../../session/verify/support/tally.ts';
import type { Oracle } from '../../test/oracle/oracle.ts';
import { type Comparison, openComparer } from './compare.ts';
import { type DamagedStream, damagedStream } from './damage.ts';
import { fixturesOf } from './fixture-part.ts';
import { type Facts, FRAGILE, knownDifferences } from './known-differences.ts';
import type { StreamReport } from './stream-report.ts';
import { hanging, losingTheEnd, throwingBare } from './wrong-models.ts';

/** Streams of a control. */
const CONTROLS = 60;
/** What a service cannot take back once it was told: the message then says what the end says. */
const UNSAID = 'the deltas are not the text';

export interface DamageOptions {
  readonly count: number;
  readonly seed: number;
}

/** Streams that both read alike, damaged at random: equal, a typed error or a known difference; and three wrong adapters. */
export async function damagePart(oracle: Oracle, { count, seed }: DamageOptions): Promise<StreamReport> {
  const bases = await readAlike(oracle);
  if (bases.length === 0) return { checks: [{ name: oracle.format, faults: ['no stream is read alike'] }], lines: [] };
  const random = randomFrom(seed);
  const streams = Array.from({ length: count }, () =>
    damagedStream(bases[Math.floor(random() * bases.length)]!, random),
  ); // within
  const counts = new Map<string, number>();
  const faults = await faultsOf(oracle, streams, { counted: (what) => counts.set(what, (counts.get(what) ?? 0) + 1) });
  const checks = [{ name: `${oracle.format}: ${count} damaged streams`, faults }];
  const few = streams.slice(0, CONTROLS);
  const wrongs = {
    'drops the last delta': losingTheEnd,
    'throws what comes': throwingBare,
    'hangs where it should fail': hanging,
  };
  for (const [what, wrong] of Object.entries(wrongs)) {
    const seen = await faultsOf({ ...oracle, open: (url) => wrong(oracle.open(url)) }, few, {
      patienceMs: 500,
      most: 1,
    });
    checks.push({ name: `${oracle.format}: an adapter that ${what}`, faults: seen.length > 0 ? [] : ['was not seen'] });
  }
  const told = [...counts].toSorted(([, one], [, other]) => other - one).map(([what, times]) => `  ${times} ${what}`);
  return { checks, lines: [`damaged, ${oracle.format}: ${count} streams made of ${bases.length}`, ...told] };
}

async function readAlike(oracle: Oracle): Promise<readonly string[]> {
  const comparer = await openComparer(oracle);
  const alike: string[] = [];
  for (const { name, body } of fixturesOf(oracle.format)) {
    if (FRAGILE.has(`${oracle.format}/${name}`)) continue;
    const { verdict } = await comparer.compare({ body });
    if (verdict === 'equal') alike.push(body.toString('utf8'));
  }
  await comparer.close();
  return alike;
}

interface Watching {
  readonly counted?: (what: string) => void;
  readonly patienceMs?: number;
  /** Enough faults. */
  readonly most?: number;
}

async function faultsOf(
  oracle: Oracle,
  streams: readonly DamagedStream[],
  { counted, patienceMs, most = 20 }: Watching,
): Promise<readonly string[]> {
  const comparer = await openComparer(oracle, patienceMs);
  const faults: string[] = [];
  for (const stream of streams) {
    if (faults.length >= most) break;
    const comparison = await comparer.compare({ body: stream.body });
    const { verdict, fault } = comparison;
    if (fault !== undefined && fault !== UNSAID) faults.push(`${stream.what.join(', ')}: ${fault}\n${stream.body}`);
    const known = verdict === 'different' ? accountFor(oracle, stream, comparison) : [verdict];
    for (const what of known ?? []) counted?.(what);
    if (!known) faults.push(`${stream.what.join(', ')}: ${toldOf(comparison)}\n${stream.body}`);
  }
  await comparer.close();
  return faults;
}

function accountFor(
  { format }: Oracle,
  { body }: DamagedStream,
  { ours, theirs }: Comparison,
): readonly string[] | undefined {
  const names = knownDifferences(format, { ours: ours as Facts, theirs: theirs as Facts, body }); // safe: what the oracles make
  return names?.map((name) => `different: ${name}`);
}

function toldOf({ ours, theirs }: Comparison): string {
  return `${JSON.stringify(ours)} and ${JSON.stringify(theirs)}`;
}
