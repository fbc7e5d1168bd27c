import { execFile } from 'node:child_process';
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { HOME, ROOT } from './paths.mjs';

const INSTALL_TIMEOUT_MS = 300_000;
const NPM_FLAGS = ['--no-audit', '--no-fund', '--loglevel=error', '--omit=dev', '--ignore-scripts'];
const execute = promisify(execFile);

/**
 * Installs a peer into its folder under BENCH_HOME, unless it is there already, and puts the drivers next to it: a plain
 * `import 'ai'` then finds the peer's own packages, and nothing of this repository.
 * @param {import('./driver-catalog.mjs').Driver} driver
 * @param {{ mayInstall: boolean, log: (text: string) => void }} options
 * @returns {Promise<string>} the driver's file
 * @throws when it is not installed and may not or cannot be
 */
export async function installPeer(driver, { mayInstall, log }) {
  const folder = join(HOME, 'peers', driver.peer);
  const manifest = JSON.stringify({ private: true, type: 'module', dependencies: driver.dependencies }, null, 2);
  if (!isInstalled(folder, manifest)) {
    if (!mayInstall) throw new Error(`not installed in ${folder}, and --no-install was given`);
    await install({ driver, folder, manifest, log });
  }
  cpSync(join(ROOT, 'drivers'), folder, { recursive: true });
  return join(folder, driver.file);
}

function isInstalled(folder, manifest) {
  const stamp = stampFile(folder);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === manifest;
}

async function install({ driver, folder, manifest, log }) {
  log(`installing ${driver.peer} into ${folder}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), manifest);
  const flags = [...NPM_FLAGS, ...(driver.before ? [`--before=${driver.before}`] : [])];
  try {
    await execute('npm', ['install', ...flags], { cwd: folder, timeout: INSTALL_TIMEOUT_MS, shell: isWindows() });
  } catch (error) {
    const reason = firstLines(String(error.stderr || error.message));
    throw new Error(`npm could not install ${describe(driver)}: ${reason}`, { cause: error });
  }
  // Written last: a folder without it is an installation that did not finish.
  writeFileSync(stampFile(folder), manifest);
  log(`installed ${driver.peer}: ${installedSize(folder)}`);
}

function stampFile(folder) {
  return join(folder, 'installed.json');
}

function describe({ dependencies }) {
  return Object.entries(dependencies)
    .map(([name, version]) => `${name}@${version}`)
    .join(', ');
}

function firstLines(text) {
  return text.trim().split('\n').slice(0, 4).join('; ').slice(0, 400);
}

function installedSize(folder) {
  const modules = join(folder, 'node_modules');
  const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  return `${Object.keys(packages).length} packages, ${(folderBytes(modules) / 1024 / 1024).toFixed(1)} MB`;
}

function folderBytes(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .map((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? folderBytes(path) : lstatSync(path).size;
    })
    .reduce((sum, bytes) => sum + bytes, 0);
}

// On Windows npm is a script, which only a shell can start.
function isWindows() {
  return process.platform === 'win32';
}
