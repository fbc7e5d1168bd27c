// One line for work that blocks this thread. Parses on Node 18.
import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const STDERR = 2;
/** Runs in a thread of its own; `state` is [asked to end, has ended]. */
const spinner = `
  const { workerData: { state, text } } = require('node:worker_threads');
  const { writeSync } = require('node:fs');
  const begun = Date.now();
  for (let turn = 0; Atomics.wait(state, 0, 0, 100) === 'timed-out'; turn++) {
    const seconds = Math.round((Date.now() - begun) / 1000);
    writeSync(${STDERR}, '\\r' + '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'[turn % 10] + ' ' + text + ' (' + seconds + ' s)');
  }
  Atomics.store(state, 1, 1);
  Atomics.notify(state, 1);
`;

/** Answers with what `work` returns. Meanwhile a terminal shows a spinner, which leaves nothing behind; elsewhere the text is a line. */
export function whileWaiting(text, work, isTerminal = process.stderr.isTTY && !process.env.CI) {
  if (!isTerminal) {
    writeSync(STDERR, `${text} ...\n`);
    return work();
  }
  const state = new Int32Array(new SharedArrayBuffer(8));
  new Worker(spinner, { eval: true, execArgv: [], workerData: { state, text } }).unref();
  try {
    return work();
  } finally {
    Atomics.store(state, 0, 1);
    Atomics.notify(state, 0);
    Atomics.wait(state, 1, 0, 1000); // the last to write is this thread
    writeSync(STDERR, '\r\u001b[2K');
  }
}
