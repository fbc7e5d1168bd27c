import { spawn } from 'node:child_process';

const RESULT_MARK = '@@';
const KEPT_ERROR_CHARACTERS = 4000;
/** Would change what is measured: conditions and preloads, a warm code cache, coverage. */
const REMOVED_VARIABLES = ['NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'NODE_V8_COVERAGE'];

/**
 * Runs a script of the harness in a fresh Node process, and answers what it printed after the result mark.
 * @param {readonly string[]} nodeArguments
 * @param {{ folder: string, timeoutMs?: number }} options `folder` is the working directory, and BENCH_SCRATCH
 * @returns {Promise<Record<string, any>>} with `error` when there is no result
 */
export function runNode(nodeArguments, { folder, timeoutMs = 240_000 }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, nodeArguments, {
      cwd: folder,
      env: childEnvironment(folder),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    child.stdout.on('data', (text) => {
      output += text;
    });
    child.stderr.on('data', (text) => {
      errors = (errors + text).slice(0, KEPT_ERROR_CHARACTERS);
    });
    child.on('error', (error) => resolve({ error: error.message }));
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve(readResult(output) ?? { error: `ended with ${signal ?? code}: ${errors}` });
    });
  });
}

function readResult(output) {
  const line = output.split('\n').findLast((each) => each.startsWith(RESULT_MARK));
  return line && JSON.parse(line.slice(RESULT_MARK.length));
}

function childEnvironment(folder) {
  const environment = { ...process.env, NO_PROXY: '127.0.0.1', BENCH_SCRATCH: folder };
  for (const name of REMOVED_VARIABLES) delete environment[name];
  return environment;
}
