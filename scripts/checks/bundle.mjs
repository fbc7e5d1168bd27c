import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './steps.mjs';

const PROGRAM = 'bundled.mjs';
const ENDINGS = { esm: 'mjs', cjs: 'cjs' };

/**
 * Bundles a program of a consumer by esbuild, without optional packages, and runs it where nothing is installed; with checkpoints, whose package
 * is left out of the bundle, where that is installed. Control: inside the bundle checkpoints are refused.
 */
export async function checkBundles({ root, target }) {
  const { build } = createRequire(join(root, 'packages', 'session', 'package.json'))('esbuild');
  await copyFile(join(root, 'scripts', 'consumer', PROGRAM), join(target, PROGRAM));
  const empty = await mkdtemp(join(tmpdir(), 'agent-sdk-bundle-'));
  try {
    for (const format of Object.keys(ENDINGS)) {
      const of = { build, format, target };
      const whole = await bundle(of, { place: empty });
      await use(whole, 'nothing');
      const refusal = await use(whole, 'checkpoints').then(
        () => 'nothing',
        ({ output }) => output,
      );
      if (!/^CHECKPOINT_CLOSED .*external package/m.test(refusal)) throw new Error(`control: ${refusal}`);
      await use(await bundle(of, { place: target, external: ['@x/checkpoint'] }), 'checkpoints');
    }
  } finally {
    await rm(empty, { recursive: true, force: true });
  }
}

async function bundle({ build, format, target }, { place, external = [] }) {
  const outfile = join(place, `bundle.${ENDINGS[format]}`);
  const options = { bundle: true, platform: 'node', target: 'node22', logLevel: 'silent' };
  await build({ entryPoints: [PROGRAM], absWorkingDir: target, format, outfile, external, ...options });
  return { outfile, place };
}

async function use({ outfile, place }, wish) {
  const folder = join(place, `of-${wish}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  const env = { ...process.env, AGENT_SDK_HOME: join(folder, 'home'), NODE_OPTIONS: '' };
  await run(process.execPath, ['--no-warnings', outfile, folder, wish], { cwd: place, env });
}
