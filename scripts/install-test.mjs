// Installs the packed packages as a user would, with plain npm in an empty folder, and uses them.
// node scripts/install-test.mjs [folder with the tarballs; they are packed when it is left out]
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withoutNpmState } from './bootstrap/run.mjs';
import { checkBundles } from './checks/bundle.mjs';
import { packAll, publishedPackages } from './checks/packages.mjs';
import { eachOf, run, runSteps } from './checks/steps.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const packages = publishedPackages(root);
/** Packages that are useful without the rest, each installed alone. */
const alone = ['@x/json-schema', '@x/command-line', '@x/registry', '@x/handlers', '@x/executor', '@x/tool-groups'];

const folder = await mkdtemp(join(tmpdir(), 'agent-sdk-install-'));
try {
  process.exitCode = await runSteps(await steps(process.argv[2]));
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function steps(packedFolder) {
  const tarballs = await tarballsIn(packedFolder);
  const all = join(folder, 'all');
  const names = packages.map(({ name }) => name);
  const found = alone.filter((name) => names.includes(name));
  return [
    [`install ${names.length} packages`, () => install(all, names, tarballs)],
    ['import every entry point', () => runIn(all, 'import-all.mjs', names)],
    ...(names.includes('@x/agent-sdk')
      ? [
          ['run a prompt', () => runIn(all, 'run-prompt.mjs')],
          ['type-check a consumer', () => typeCheck(all)],
          ['run a consumer from a bundle', () => checkBundles({ root, target: all })],
        ]
      : []),
    ...(found.length > 0
      ? [
          [
            `install alone, with the examples of the README: ${found.join(', ')}`,
            () => eachOf(found, 2, (name) => installAlone(name, tarballs)),
          ],
        ]
      : []),
  ];
}

async function tarballsIn(packedFolder) {
  if (!packedFolder) {
    await mkdir(join(folder, 'tarballs'));
    return packAll(packages, join(folder, 'tarballs'));
  }
  const fileOf = ({ name, manifest }) =>
    join(packedFolder, `${name.replace('@', '').replace('/', '-')}-${manifest.version}.tgz`);
  return new Map(packages.map((entry) => [entry.name, fileOf(entry)]));
}

async function installAlone(name, tarballs) {
  const target = join(folder, name.replace('/', '-'));
  await install(target, [name], tarballs);
  await runIn(target, 'import-all.mjs', [name]);
  await runIn(target, 'run-readme.mjs', [name]);
}

/** The siblings come from the tarballs too: `overrides` says so for those that are not asked for. */
async function install(target, names, tarballs) {
  const specs = Object.fromEntries([...tarballs].map(([name, file]) => [name, pathToFileURL(file).href]));
  const peers = Object.assign({}, ...packages.filter(({ name }) => names.includes(name)).map(requiredPeers));
  const dependencies = { ...peers, ...Object.fromEntries(names.map((name) => [name, specs[name]])) };
  const manifest = {
    name: 'consumer',
    version: '0.0.0',
    private: true,
    type: 'module',
    dependencies,
    overrides: specs,
  };
  await mkdir(target);
  await writeFile(join(target, 'package.json'), JSON.stringify(manifest, null, 2));
  const flags = [
    '--no-audit',
    '--no-fund',
    '--no-package-lock',
    '--prefer-offline',
    '--loglevel=error',
    '--ignore-scripts=true',
  ];
  await run('npm', ['install', ...flags], { cwd: target, env: withoutNpmState(process.env) });
}

/** zod is what users write tools with, so a consumer has it. */
function requiredPeers({ name, manifest }) {
  return name === '@x/agent-sdk' ? { zod: '^4', ...manifest.peerDependencies } : {};
}

async function runIn(target, program, args = []) {
  await copyFile(join(root, 'scripts', 'consumer', program), join(target, program));
  const env = { ...process.env, AGENT_SDK_HOME: join(target, 'home'), NODE_OPTIONS: '' };
  await run(process.execPath, [program, ...args], { cwd: target, env });
}

async function typeCheck(target) {
  await copyFile(join(root, 'scripts', 'consumer', 'consumer.mts'), join(target, 'consumer.mts'));
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: 'es2023',
    lib: ['es2024', 'esnext.disposable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    typeRoots: [join(root, 'node_modules', '@types')],
    types: ['node'],
  };
  await writeFile(join(target, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.mts'] }, null, 2));
  const tsc = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'tsc.cmd' : 'tsc');
  if (!existsSync(tsc)) throw new Error('tsc is not installed; run pnpm install');
  await run(tsc, ['-p', target], { cwd: target });
}
