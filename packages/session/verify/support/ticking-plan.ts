import { type Plan, type PlannedCall, runText } from './plan.ts';

/** A file in the workspace; while it is there, no command of the plan comes to its end. */
export const HOLD = 'hold';

/** A command that has an effect, starts something that ticks as long as the command is not done, and answers with its id. */
function ticking(start: (ticks: string) => string): PlannedCall {
  return (id) => {
    const ticks = `while [ ! -e done-${id} ]; do echo ${id} >> ticks; sleep 0.03; done`;
    const waiting = `sleep 0.15; while [ -e ${HOLD} ]; do sleep 0.03; done`;
    const command = `echo ${id} >> effects.log; ${start(ticks)} ${waiting}; touch done-${id}; echo ${id}`;
    return { name: 'Bash', input: { command } };
  };
}

const silent = '>/dev/null 2>&1 &';
const task: PlannedCall = () => ({
  name: 'Task',
  input: { subagent_type: 'helper', description: 'A task', prompt: runText(2) },
});
const inGroup = ticking((ticks) => `(${ticks}) &`);
const nohup = ticking((ticks) => `nohup sh -c '${ticks}' ${silent}`);
const ignoring = ticking((ticks) => `sh -c 'trap "" TERM INT HUP; ${ticks}' ${silent}`);
const inSession = ticking((ticks) => `setsid sh -c '${ticks}' ${silent}`);
const doubleForked = ticking((ticks) => `(setsid sh -c '(${ticks}) ${silent}' &);`);
const otherEnvironment = ticking((ticks) => `env -i PATH="$PATH" sh -c '${ticks}' ${silent}`);

/** Commands whose children live on when nobody ends them, in two runs and a subagent's. */
export const tickingPlan: Plan = [
  [[inGroup], [doubleForked, inSession], [ignoring]],
  [[nohup], [task], [otherEnvironment]],
  [[doubleForked], [inSession]],
];
