// One call that is in time, and one that fails after its time was up. Prints what is left; must then end by itself.
import { ToolExecutor } from '../../src/index.ts';

let unhandled = 0;
process.on('unhandledRejection', () => unhandled++);
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const executor = new ToolExecutor();

await executor.execute(async () => await wait(2), {});
const failsLate = async () => {
  await wait(10);
  throw new Error('late');
};
const failure = await executor.execute(failsLate, {}, { timeout: 1 }).catch((error: unknown) => (error as Error).name);
await wait(20);
const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
console.log(JSON.stringify({ failure, unhandled, timers }));
