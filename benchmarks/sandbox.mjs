// What a contained command costs over plain bubblewrap: `node benchmarks/sandbox.mjs [--rounds 100]` after `pnpm build`, on Linux with bwrap.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSandbox } from '@x/sandbox';
import { bubblewrapDriver } from '@x/sandbox/driver';
import { median } from './lib/statistics.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '100' } } });
const folder = mkdtempSync(join(tmpdir(), 'bench-sandbox-'));
const other = mkdtempSync(join(tmpdir(), 'bench-bwrap-'));
const box = await createSandbox({ cwd: folder });
const { plain, finish } = await plainArguments();

const kinds = {
  'bash -c true, no wall': () => ended('/bin/bash', ['--norc', '-c', 'true']),
  'bwrap with the same arguments, no filter and no limits: true': () => ended(plain[0], plain.slice(1)),
  'createSandbox(): run("true")': () => box.run('true'),
  'createSandbox(): 16 at once, each': () => Promise.all(Array.from({ length: 16 }, () => box.run('true'))),
};
const found = new Map(Object.keys(kinds).map((kind) => [kind, []]));
for (let round = -3; round < Number(values.rounds); round++) {
  for (const [kind, run] of Object.entries(kinds)) {
    const before = performance.now();
    await run();
    const ms = (performance.now() - before) / (kind.includes('16') ? 16 : 1);
    if (round >= 0) found.get(kind).push(ms);
  }
}
const wall = median(found.get('bwrap with the same arguments, no filter and no limits: true'));
console.log('| command | wall time | of plain bubblewrap |\n| --- | --: | --: |');
for (const [kind, times] of found) {
  console.log(`| ${kind} | ${median(times).toFixed(2)} ms | ${(median(times) / wall).toFixed(2)} |`);
}
console.log(`\nMedians of ${values.rounds} interleaved rounds. Node ${process.versions.node}.`);
await box.close();
await finish();
for (const one of [folder, other]) rmSync(one, { recursive: true });

/** The driver's own arguments without its filter, its shell and its limits; what it covers stays covered until the end. */
async function plainArguments() {
  const driver = bubblewrapDriver();
  const policy = {
    root: other,
    files: { write: [], readOnly: [], read: [], hidden: [] },
    network: { mode: 'none', allowedDomains: [], deniedDomains: [], unixSockets: 'none', localBinding: false },
    limits: {},
  };
  const reasons = await driver.probe(policy);
  if (reasons.length > 0) throw new Error(reasons.join('; '));
  const { argv, finish } = await driver.contain(
    { command: 'true', cwd: other, env: { PATH: process.env.PATH } },
    policy,
  );
  const plain = [...argv.slice(0, argv.indexOf('--seccomp')), '--', '/bin/true'];
  return { plain, finish: () => finish({ code: 0, stderr: '' }) };
}

function ended(file, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, words, { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stderr.on('data', (bytes) => (said += bytes));
    child.stdout.resume();
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(said))));
  });
}
