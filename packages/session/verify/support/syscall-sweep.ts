import { shortPlan } from './demo-plan.ts';
import { outputsIn } from './judge.ts';
import { type Injection, syscallTrial } from './syscall-trial.ts';
import { numberFrom, type Tally } from './tally.ts';
import { clear, layTrial, remainsOf, startChild } from './trial-folder.ts';

export interface SweepOptions {
  readonly tally: Tally;
  /** Outputs of an undisturbed session. */
  readonly reference: ReadonlyMap<string, string>;
  /** Points of the first ones that are left out between two. Default 1: none. */
  readonly step?: number;
}

export interface Swept {
  readonly reached: number;
  /** Points between the start and the end of a call. */
  readonly interrupting: readonly number[];
}

/** The first points one by one, then every seventh, until one is not reached any more. */
export async function sweep(
  injection: Omit<Injection, 'at'>,
  { tally, reference, step = 1 }: SweepOptions,
): Promise<Swept> {
  const interrupting: number[] = [];
  const [first, sample, jobs] = [numberFrom('FIRST', 150), numberFrom('SAMPLE', 20), numberFrom('JOBS', 2)];
  const name = `${injection.call} ${injection.what}${injection.lasts === 'once' ? '' : ' for good'}`;
  const failures = new Map<string, number>();
  const startedAt = performance.now();
  let [next, reached, over] = [1, 0, false];
  const work = async () => {
    while (!over && reached < first + sample) {
      const at = next;
      next += next < first ? step : 7;
      const report = await syscallTrial({ ...injection, at }, reference);
      if (report.interrupting) interrupting.push(at);
      if (report.reached) reached += 1;
      else over = true;
      for (const code of new Set(report.failures)) failures.set(code, (failures.get(code) ?? 0) + 1);
      // One that was not reached has tested nothing, but it must have gone well.
      if (report.reached || report.faults.length > 0) tally.check(`${name}, number ${at}`, report.faults);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  tally.check(`${name} was reached`, reached > 0 ? [] : ['no point was reached']);
  const codes = [...failures].map(([code, times]) => `${code} at ${times}`).join(', ');
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.log(`${name}: ${reached} points up to number ${next - 1}, errors told: ${codes || 'none'} (${seconds} s)`);
  return { reached, interrupting };
}

/** What the calls of the run answer; also fills the cache from which the other processes start. */
export async function undisturbed(): Promise<ReadonlyMap<string, string>> {
  const trial = await layTrial(shortPlan, { planName: 'short', guard: 'none' });
  const { code, errors } = await startChild(trial).ended;
  if (code !== 0) throw new Error(`An undisturbed session ended with ${code}: ${errors}`);
  const { contents } = await remainsOf(trial);
  await clear(trial);
  return outputsIn(contents.entries);
}
