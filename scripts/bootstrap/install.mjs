// Installs the dependencies when they are missing or older than the lockfile. Parses on Node 18.
import { spawnSync } from 'node:child_process';
import { statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { looksOffline } from './platform.mjs';
import { BootstrapError, shellOnWindows } from './run.mjs';

/** pnpm's own waits add up to a quarter of an hour before it says that there is no network. */
const quickToGiveUp = {
  pnpm_config_fetch_retries: '1',
  pnpm_config_fetch_retry_mintimeout: '500',
  pnpm_config_fetch_retry_maxtimeout: '2000',
};

/** @throws BootstrapError */
export function installIfStale(root, env) {
  if (!isStale(root)) return;
  console.error('Installing dependencies ...');
  const { error, status, stdout, stderr } = spawnSync('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], {
    cwd: root,
    env: { ...quickToGiveUp, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
    ...shellOnWindows,
  });
  if (status !== 0) throw new BootstrapError(installFailure(`${stdout ?? ''}${stderr ?? ''}${error ?? ''}`));
  const now = new Date();
  utimesSync(marker(root), now, now);
}

/** True when nothing is installed or the lockfile has changed since. */
export function isStale(root) {
  const installed = statSync(marker(root), { throwIfNoEntry: false });
  const lockfile = statSync(join(root, 'pnpm-lock.yaml'), { throwIfNoEntry: false });
  return !installed || (lockfile !== undefined && lockfile.mtimeMs > installed.mtimeMs);
}

export function installFailure(output) {
  const tail = output.trim().split('\n').slice(-12).join('\n');
  if (looksOffline(output)) {
    return `Could not install the dependencies: the npm registry does not answer. Check the network or proxy.\n${tail}`;
  }
  return `Could not install the dependencies. pnpm says:\n${tail}`;
}

function marker(root) {
  return join(root, 'node_modules', '.modules.yaml');
}
