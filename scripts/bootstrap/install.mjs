// Installs the dependencies when they are missing or older than the lockfile. Parses on Node 18.
import { spawnSync } from 'node:child_process';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { looksOffline } from './platform.mjs';
import { BootstrapError, shellOnWindows } from './run.mjs';
import { whileWaiting } from './while-waiting.mjs';

/** @throws BootstrapError */
export function installIfStale(root, env) {
  if (!isStale(root)) return;
  const { status, output, reachable } = whileWaiting('Installing dependencies', () => {
    const reachable = registryAnswers(root, env);
    const from = reachable ? '--prefer-offline' : '--offline';
    return { reachable, ...pnpm(['install', '--frozen-lockfile', from], root, env) };
  });
  if (status !== 0) throw new BootstrapError(installFailure(output, reachable));
  const now = new Date();
  utimesSync(marker(root), now, now);
}

/** True when nothing is installed or the lockfile has changed since. */
export function isStale(root) {
  const installed = statSync(marker(root), { throwIfNoEntry: false });
  const lockfile = statSync(join(root, 'pnpm-lock.yaml'), { throwIfNoEntry: false });
  return !installed || (lockfile !== undefined && lockfile.mtimeMs > installed.mtimeMs);
}

export function installFailure(output, reachable = true) {
  const tail = output.trim().split('\n').slice(-12).join('\n');
  if (!reachable || looksOffline(output)) {
    return `Could not install the dependencies: the npm registry does not answer. Check the network or proxy.\n${tail}`;
  }
  return `Could not install the dependencies. pnpm says:\n${tail}`;
}

/** Asked first, because pnpm tries for many minutes before it says that there is no network. An error in HTTP is an answer. */
function registryAnswers(root, env) {
  return [1, 2].some(() => {
    const { status, output } = pnpm(['ping'], root, env, { timeout: 20_000 });
    return status === 0 || !(status === null || looksOffline(output));
  });
}

function pnpm(args, root, env, options = {}) {
  const { error, status, stdout, stderr } = spawnSync('pnpm', args, {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    ...options,
    ...shellOnWindows,
  });
  return { status, output: `${stdout ?? ''}${stderr ?? ''}${error ?? ''}` };
}

function marker(root) {
  return join(root, 'node_modules', '.modules.yaml');
}
