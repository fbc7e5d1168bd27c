// The adapters over real HTTP: (1) the whole contract of models with every stream we have, cut at every byte; (2) every stream beside
// the official client of its format, in pieces of 1, 7 and 50 bytes and whole; (3) streams damaged at random: where the official client
// takes one, the adapter says the same, or fails with a typed error, or differs in a way that is listed; it never hangs and never
// fails otherwise. Wrong adapters are controls of each part: they have to be seen.
// COUNT=2000 (damaged streams of each format), SEED=1, JOBS=2 (parts at a time)
import { amountFrom, numberFrom, Tally } from '../../session/verify/support/tally.ts';
import { CONTRACT_SUBJECTS } from '../test/contract-subjects.ts';
import { runPart, type StreamPart } from './support/stream-parts.ts';

const ORACLES = ['chat', 'responses', 'anthropic', 'anthropic beta', 'gemini', 'azure'];
const DAMAGED = ['chat', 'responses', 'anthropic', 'gemini'];

const facts = { count: amountFrom('COUNT', 2000), seed: numberFrom('SEED', 1) };
const parts: StreamPart[] = [
  ...Object.keys(CONTRACT_SUBJECTS).map((name) => ({ kind: 'contract' as const, name, ...facts })),
  ...ORACLES.map((name) => ({ kind: 'fixtures' as const, name, ...facts })),
  ...DAMAGED.map((name) => ({ kind: 'damage' as const, name, ...facts })),
];
const tally = new Tally();
const left = [...parts];

console.log(`seed ${facts.seed}`);
await Promise.all(Array.from({ length: numberFrom('JOBS', 2) }, runUntilDone));
tally.end();

async function runUntilDone(): Promise<void> {
  for (let part = left.shift(); part; part = left.shift()) {
    const start = performance.now();
    const { checks, lines } = await runPart(part);
    for (const { name, faults } of checks) tally.check(`${part.kind}, ${name}`, faults);
    for (const line of lines) console.log(line);
    console.log(`  ${part.kind}, ${part.name}: ${((performance.now() - start) / 1000).toFixed(1)} s`);
  }
}
