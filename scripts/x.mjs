#!/usr/bin/env node
// Runs a task of this repository on any machine with Node >= 18 and npm: node scripts/x.mjs <task> [arguments]
// A Node or pnpm that is missing or too old is fetched through npm, used for this repository only, and never installed.
import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchTools, knownTools, rememberTools } from './bootstrap/fetch-tools.mjs';
import { installIfStale } from './bootstrap/install.mjs';
import { nodeFits, pnpmFits } from './bootstrap/platform.mjs';
import { BootstrapError, runToEnd, shellOnWindows, withoutNpmState } from './bootstrap/run.mjs';

const tasks = ['demo', 'test', 'verify', 'build', 'bench'];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
/** Holds the folders of the fetched tools; its presence means that this is the second start. */
const guard = 'X_FETCHED_TOOLS';

async function main([task = '', ...args]) {
  if (!tasks.includes(task)) throw new BootstrapError(`Unknown task '${task}'. Tasks: ${tasks.join(', ')}.`);
  const missing = { node: !nodeFits(process.version), pnpm: !pnpmFits(pnpmVersion()) };
  if (missing.node || missing.pnpm) return startAgain(missing, [task, ...args]);

  const fetched = process.env[guard];
  const env = { ...withoutNpmState(process.env), TURBO_TELEMETRY_DISABLED: '1' };
  delete env[guard];
  installIfStale(root, env);
  if (fetched) rememberTools(root, fetched.split(delimiter));
  return runToEnd('pnpm', ['--silent', 'run', `${task}:run`, ...args], { cwd: root, env });
}

/** Fetches what is missing and starts this script again with it, once. */
function startAgain(missing, args) {
  if (process.env[guard] !== undefined) {
    throw new BootstrapError(
      `The tools fetched through npm are not the ones that run: Node ${process.version}, pnpm ${pnpmVersion() || 'not found'}.\n` +
        'Install Node 24 (or 22.18 and later, or 26) and pnpm 12, then try again.',
    );
  }
  const folders = knownTools(root, missing) ?? fetchTools(root, missing);
  const path = [...folders, process.env.PATH].join(delimiter);
  const env = { ...process.env, PATH: path, [guard]: folders.join(delimiter) };
  return runToEnd('node', [join(root, 'scripts', 'x.mjs'), ...args], { cwd: root, env });
}

function pnpmVersion() {
  const { stdout } = spawnSync('pnpm', ['--version'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 30_000,
    ...shellOnWindows,
  });
  return (stdout ?? '').trim();
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof BootstrapError)) throw error;
  console.error(`\n${error.message}`);
  process.exitCode = 1;
}
