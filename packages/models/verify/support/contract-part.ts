import type { ContractCase } from '@x/core/testing';
import { type ModelContractOptions, modelContract } from '../../src/testing/index.ts';
import type { StreamReport } from './stream-report.ts';
import { losingTheEnd, takingHalf } from './wrong-models.ts';

/** Long enough for a busy machine. */
const PATIENCE_MS = 30_000;

/** The whole contract, each stream cut at every byte; and two wrong adapters, which have to break it. */
export async function contractPart(name: string, options: ModelContractOptions): Promise<StreamReport> {
  const cases = modelContract({ ...options, patienceMs: PATIENCE_MS });
  const checks: StreamReport['checks'][number][] = [];
  for (const item of cases) checks.push({ name: `${name}: ${item.name}`, faults: await faultsOf(item) });
  const few = { ...options, cutsPerStream: 16 };
  const lost = modelContract({ ...few, open: (url, key) => losingTheEnd(options.open(url, key)) });
  const half = modelContract({ ...few, open: (url, key) => takingHalf(options.open(url, key)) });
  checks.push(await control(`${name}: an adapter that drops the last delta`, lost, 'yields text'));
  checks.push(
    await control(`${name}: an adapter that takes half for the whole`, half, 'text: is whole or a typed error'),
  );
  return { checks, lines: [`contract, ${name}: ${cases.length} cases`] };
}

async function control(
  name: string,
  cases: readonly ContractCase[],
  begin: string,
): Promise<StreamReport['checks'][number]> {
  const found = cases.filter((item) => item.name.startsWith(begin));
  const faults = await Promise.all(found.map(faultsOf));
  const unseen = found.filter((_, index) => faults[index]?.length === 0).map((item) => `was not seen by: ${item.name}`);
  return { name, faults: found.length === 0 ? [`no case '${begin}'`] : unseen };
}

async function faultsOf({ run }: ContractCase): Promise<readonly string[]> {
  return run().then(
    () => [],
    (error: unknown) => [error instanceof Error ? error.message : String(error)],
  );
}
