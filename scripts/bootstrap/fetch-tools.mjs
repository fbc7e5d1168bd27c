// Brings Node and pnpm through npm's own client, into npm's cache. Parses on Node 18.
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { looksOffline, nodeFits, nodePackage, pnpmFits, usesMusl } from './platform.mjs';
import { BootstrapError, quoteOnWindows, shellOnWindows } from './run.mjs';
import { whileWaiting } from './while-waiting.mjs';

/** Fetches what is missing and returns the folders to put in front of PATH. @throws BootstrapError */
export function fetchTools(root, missing) {
  const packages = packagesFor(missing, {
    platform: process.platform,
    arch: process.arch,
    musl: missing.node && usesMusl(),
  });
  const names = [missing.node && 'Node 24', missing.pnpm && 'pnpm 12'].filter(Boolean).join(' and ');
  const { error, status, stdout, stderr } = whileWaiting(`Fetching ${names} through npm`, () =>
    spawnSync('npx', npxArguments(root, packages, missing).map(quoteOnWindows), {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...shellOnWindows,
    }),
  );
  if (error?.code === 'ENOENT') {
    throw new BootstrapError('npm is missing (no `npx` on PATH). Install npm, or Node 24 and pnpm 12, then try again.');
  }
  const output = `${stdout ?? ''}${stderr ?? ''}`;
  const answer = /^x-tools:(.*)$/m.exec(stdout ?? '');
  if (status === 0 && answer) return JSON.parse(answer[1]);
  throw new BootstrapError(fetchFailure(packages, output || String(error ?? '')));
}

/** The npm packages that bring what is missing. @throws BootstrapError when there is no Node for this machine */
export function packagesFor(missing, machine) {
  if (!missing.node) return ['pnpm@12'];
  const { name, reason } = nodePackage(machine);
  if (!name) throw new BootstrapError(reason);
  return missing.pnpm ? [`${name}@24`, 'pnpm@12'] : [`${name}@24`];
}

export function fetchFailure(packages, output) {
  const what = packages.join(' and ');
  if (looksOffline(output)) {
    return `Could not fetch ${what}: the npm registry does not answer. Check the network or proxy, or install Node 24 and pnpm 12 yourself.\n${lastLines(output)}`;
  }
  return `Could not fetch ${what} through npm. Install Node 24 and pnpm 12 yourself, or see what npm says:\n${lastLines(output)}`;
}

/** The folders that the last run used, if they still hold fitting tools. */
export function knownTools(root, missing) {
  let folders;
  try {
    folders = JSON.parse(readFileSync(memoryFile(root), 'utf8'));
  } catch {
    return undefined; // No memory is as good as a wrong one: the tools are fetched.
  }
  const env = { ...process.env, PATH: [...folders, process.env.PATH].join(delimiter) };
  const version = (tool) =>
    spawnSync(tool, ['--version'], {
      cwd: root,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      ...shellOnWindows,
    }).stdout?.trim() ?? '';
  const fits = (!missing.node || nodeFits(version('node'))) && (!missing.pnpm || pnpmFits(version('pnpm')));
  return fits ? folders : undefined;
}

/** Notes the folders for the next run; call it after the installation, which owns `node_modules`. */
export function rememberTools(root, folders) {
  writeFileSync(memoryFile(root), JSON.stringify(folders));
}

function npxArguments(root, packages, missing) {
  return [
    '--yes',
    '--ignore-scripts=false',
    '--allow-scripts=pnpm',
    '--loglevel=error',
    '--fetch-retries=2',
    '--fetch-retry-mintimeout=1000',
    '--fetch-retry-maxtimeout=5000',
    ...packages.flatMap((name) => ['-p', name]),
    '--',
    'node',
    join(root, 'scripts', 'bootstrap', 'print-tools.mjs'),
    ...['node', 'pnpm'].filter((tool) => missing[tool]),
  ];
}

function memoryFile(root) {
  return join(root, 'node_modules', '.x-tools.json');
}

function lastLines(output) {
  return output.trim().split('\n').slice(-8).join('\n');
}
