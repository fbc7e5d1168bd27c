// Four processes with three sessions each write to one SQLite file; each of them is killed with SIGKILL at random moments and replaced
// by one that takes up its sessions. After each kill everything told to somebody outside must be there, and at the end too; every log
// must be whole, no effect doubled, and each call that was cut off reported as unknown. A control that acknowledges early must lose.
// KILLS=250, SEED=1
import { type CrowdReport, crowdTrial } from './support/crowd-trial.ts';
import { amountFrom, numberFrom, randomFrom, Tally } from './support/tally.ts';

const CONTROL_KILLS = 24;

const tally = new Tally();
const random = randomFrom(numberFrom('SEED', 1));
const kills = amountFrom('KILLS', 250);
const report = await crowdTrial({ kills, random, guard: 'none' });
tally.check('a crowd', faultsIn(report));
console.log(
  `${kills} kills of ${report.processes} processes on one file: ${report.sessions} sessions, ${report.told} things told, ` +
    `${report.lost.length} lost, ${report.doubled.length} effects doubled, ${report.unknown} calls reported as unknown`,
);
const control = await crowdTrial({ kills: CONTROL_KILLS, random, guard: 'acknowledge' });
console.log(`control, acknowledged early: ${control.lost[0]?.slice(0, 120) ?? 'nothing noticed'}`);
tally.check('control, acknowledged early', control.lost.length > 0 ? [] : ['the harness saw nothing wrong']);
tally.end();

function faultsIn({ lost, doubled, unknown, faults }: CrowdReport): string[] {
  return [
    ...lost.map((one) => `lost ${one}`),
    ...doubled.map((one) => `doubled ${one}`),
    ...faults,
    ...(unknown > 0 ? [] : ['no kill came between the start and the end of a call']),
  ];
}
