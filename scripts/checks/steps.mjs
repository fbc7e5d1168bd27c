// Runs named steps one after another and says how it went.
import { spawn } from 'node:child_process';

/** A failed step; `output` is what the reader needs to see. */
export class StepError extends Error {
  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

const LEFT_BEHIND_MS = 5_000;

/** Runs a program. Its output is returned, or shown as it comes with `stream`. @throws StepError */
export function run(command, args, { cwd, env = process.env, stream = false } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', stream ? 'inherit' : 'pipe', stream ? 'inherit' : 'pipe'];
    const child = spawn(command, args, { cwd, env, stdio, shell: process.platform === 'win32' });
    const chunks = [];
    for (const channel of [child.stdout, child.stderr]) channel?.on('data', (chunk) => chunks.push(chunk));
    const text = () => Buffer.concat(chunks).toString('utf8');
    const fail = (reason) => reject(new StepError(`${[command, ...args].join(' ')}: ${reason}`, text()));
    child.on('error', (error) => fail(error.message));
    // A process that it has left behind may hold its output open: that is read for a while, and not waited for.
    child.on('exit', () => {
      const leave = () => [child.stdout, child.stderr].map((channel) => channel?.destroy());
      const timer = setTimeout(leave, LEFT_BEHIND_MS);
      child.on('close', () => clearTimeout(timer));
    });
    child.on('close', (code, signal) => (code === 0 ? resolve(text()) : fail(signal ?? `exit code ${code}`)));
  });
}

/** One line per step with its seconds; stops at the first failure. The last line counts. */
export async function runSteps(steps) {
  let passed = 0;
  for (const [name, step] of steps) {
    const start = performance.now();
    try {
      const remark = await step();
      passed += 1;
      report('ok  ', name, start, remark);
    } catch (error) {
      report('FAIL', name, start);
      console.log(error instanceof StepError ? `${error.message}\n${error.output}` : error);
      console.log(`${passed} passed, 1 failed`);
      return 1;
    }
  }
  console.log(`${passed} passed, 0 failed`);
  return 0;
}

/** Calls `work` for every item, at most `width` at a time; all run to their end, then the first failure is thrown. */
export async function eachOf(items, width, work) {
  const waiting = [...items];
  const failures = [];
  const lanes = Array.from({ length: width }, async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      await work(item).catch((error) => failures.push(error));
    }
  });
  await Promise.all(lanes);
  if (failures.length > 0) throw failures[0];
}

function report(verdict, name, start, remark) {
  const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(6);
  console.log(`${verdict} ${seconds} s  ${name}${typeof remark === 'string' ? ` (${remark})` : ''}`);
}
