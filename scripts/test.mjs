// Everything a contributor needs to know before handing in a change: `npm test`.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkApiReports } from './checks/api-reports.mjs';
import { packAll, publishedPackages } from './checks/packages.mjs';
import { checkBuiltExports } from './checks/pinned-exports.mjs';
import { eachOf, run, runSteps } from './checks/steps.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const env = { ...process.env, PATH: [join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter) };
const inRoot = (command, args, options) => run(command, args, { cwd: root, env, ...options });
const packages = publishedPackages(root);
const tarballFolder = await mkdtemp(join(tmpdir(), 'agent-sdk-pack-'));
let tarballs = new Map();

const steps = [
  ['format', () => quiet('pnpm', ['run', 'format:check'])],
  ['lint', () => quiet('pnpm', ['run', 'lint'])],
  ['typecheck', () => quiet('pnpm', ['run', 'typecheck'])],
  ['unit, property, type and architecture tests', () => quiet('vitest', ['run'], { stream: true })],
  ['build', () => quiet('turbo', ['run', 'build', '--filter=./packages/*', '--output-logs=errors-only'])],
  ['unused files, exports and dependencies (knip)', () => quiet('knip', ['--no-progress', '--no-config-hints'])],
  ['pack', pack],
  ['manifests (publint)', () => eachTarball((tarball) => inRoot('publint', ['run', tarball, '--strict']))],
  [
    'types for consumers (attw)',
    () => eachTarball((tarball) => inRoot('attw', [tarball, '--profile', 'esm-only', '--no-emoji'])),
  ],
  ['pinned exports of the built packages', () => checkBuiltExports(packages)],
  ['API reports of the built packages', () => checkApiReports(packages)],
  [
    'install and run the packed packages',
    () => quiet(process.execPath, [join('scripts', 'install-test.mjs'), tarballFolder]),
  ],
];

/** The output is for failures only; a step's remark is a line of its own making. */
async function quiet(command, args, options) {
  await inRoot(command, args, options);
}

async function pack() {
  tarballs = await packAll(packages, tarballFolder);
  const missing = [...tarballs.values()].filter((tarball) => !existsSync(tarball)).map((tarball) => basename(tarball));
  if (missing.length > 0 || tarballs.size === 0)
    throw new Error(`not packed: ${missing.join(', ') || 'no package found'}`);
  return `${tarballs.size} packages`;
}

async function eachTarball(check) {
  await eachOf(tarballs.values(), 2, check);
}

try {
  process.exitCode = await runSteps(steps);
} finally {
  await rm(tarballFolder, { recursive: true, force: true });
}
