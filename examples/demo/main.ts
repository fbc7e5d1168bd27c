// What the SDK is for, in 25 seconds: a repair under rules, a kill -9 in the middle of a payment, two subagents side by side, and the way back
// from what a shell has broken. The model is a script; the HTTP, the processes, the files and the kill are real, and every claim is looked up:
// exit code 1 when one does not hold.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SessionStore, sessionUsage, sqliteStore } from '@x/agent-sdk';
import { killChildren, startChild } from './children.ts';
import { overheadPerTurn } from './overhead.ts';
import { payments } from './payments.ts';
import { repair } from './repair.ts';
import { review } from './review.ts';
import { box, failedChecks, isTerminal, line, paint, title } from './screen.ts';
import { PRICES, type Stage } from './stage.ts';
import { undo } from './undo.ts';

const folder = mkdtempSync(join(tmpdir(), 'demo-'));
process.env['AGENT_SDK_HOME'] = join(folder, 'home'); // of the checkpoints
process.once('exit', () => {
  killChildren();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});
for (const [signal, number] of [
  ['SIGINT', 2],
  ['SIGTERM', 15],
  ['SIGHUP', 1],
] as const)
  process.once(signal, () => process.exit(128 + number));

line(paint.dim('A scripted model, no key needed or used. HTTP, files, processes, kill -9: real.'));
const { child: service, first } = await startChild('service.ts', [isTerminal ? 'paced' : 'quick']);
const urls = first as { readonly url: string; readonly quickUrl: string }; // safe: the first message of service.ts
const store = sqliteStore({ path: join(folder, 'sessions.db') });
const stage: Stage = { folder, store, ...urls };

const repaired = await repair(stage);
const paid = await payments(stage);
const reviewed = await review(stage, repaired.project.cwd);
const undone = await undo(stage, repaired.project.cwd);
const sessionIds = [repaired, paid, reviewed, undone].map(({ sessionId }) => sessionId);
const records = await recordsIn(store, sessionIds);
await bill(await overheadPerTurn(stage, service), records);

await store[Symbol.asyncDispose]();
process.exit(failedChecks() === 0 ? 0 : 1);

/** The last box: what all of it has taken. */
async function bill(overheadMs: number, records: number): Promise<void> {
  const totals = await Promise.all(
    sessionIds.map(async (id) => (await sessionUsage(store, id, { prices: PRICES })).total),
  );
  const sum = (value: (total: (typeof totals)[number]) => number) => totals.reduce((all, one) => all + value(one), 0);
  const cents = sum(({ cost }) => (cost.usd ?? Number.NaN) * 100);
  title(5, 'The bill');
  box([
    ['turns', `${sum(({ calls }) => calls)} model calls of 6 agents, in 4 sessions and 3 processes`],
    ['tokens', `${sum(({ usage }) => usage.inputTokens)} in, ${sum(({ usage }) => usage.outputTokens)} out`],
    ['cost', `${cents.toFixed(2)} cents, at $0.25 and $2 for a million tokens`],
    ['overhead', `${overheadMs.toFixed(1)} ms a turn: wall time of 50 more turns, less the service's`],
    ['records', `${records}, each on the disk before the work went on (SQLite, fsync)`],
  ]);
}

async function recordsIn(from: SessionStore, ids: readonly string[]): Promise<number> {
  let records = 0;
  for (const id of ids) for await (const _ of from.read(id)) records += 1;
  return records;
}
