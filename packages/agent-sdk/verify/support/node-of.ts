import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The oldest and the newest version that is promised. */
export const OLDEST = '22.18.0';
export const NEWEST = '26.10.0';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const { nodePackage, usesMusl } = (await import(join(root, 'scripts', 'bootstrap', 'platform.mjs'))) as {
  nodePackage(machine: object): { readonly name?: string; readonly reason?: string };
  usesMusl(): boolean;
};
const folder = mkdtempSync(join(tmpdir(), 'node-versions-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** The program of this version, brought by npm into a folder that is removed when this process ends. */
export function nodeOf(version: string): string {
  const { name, reason } = nodePackage({ platform: process.platform, arch: process.arch, musl: usesMusl() });
  if (!name) throw new Error(reason);
  const target = join(folder, version);
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--prefix', target];
  const { status, stderr } = spawnSync('npm', ['install', ...flags, `${name}@${version}`], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm has not brought Node ${version}: ${stderr}`);
  return join(target, 'node_modules', name, 'bin', 'node');
}
