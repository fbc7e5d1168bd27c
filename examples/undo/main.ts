// An agent goes too far, with the shell too, while somebody edits another file: what it did is shown, taken back, and brought again.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createSession, deleteSession, memoryStore } from '@x/agent-sdk';
import { serviceOr } from 'fake-provider';
import { script } from './script.ts';

const project = mkdtempSync(join(tmpdir(), 'undo-'));
execFileSync(
  '/bin/sh',
  [
    '-c',
    'mkdir docs; echo "How to pay" > docs/pay.md; echo 0.2 > prices.json; echo cart > cart.js; echo draft > todo.txt',
  ],
  {
    cwd: project,
  },
);
const { provider, model, stop } = await serviceOr(script);
const store = memoryStore();
const session = await createSession({
  provider,
  model,
  store,
  cwd: project,
  permissionMode: 'bypassPermissions',
  enableFileCheckpointing: true,
});
const named = (paths: readonly string[]) =>
  paths
    .map((path) => relative(project, path))
    .sort()
    .join(', ') || 'none';
const show = (title: string) => console.log(`${title.padEnd(12)} ${readdirSync(project).sort().join(' ')}`);

show('before');
const { messageId } = await session.send('Tidy up this project.');
for await (const event of session.stream()) if (event.type === 'error') process.exitCode = 1;
show('after');
writeFileSync(join(project, 'todo.txt'), 'my own plan\n'); // you, in your editor
writeFileSync(join(project, 'NOTES.md'), 'Tidied up? We will see.\n');

const dry = await session.rewindFiles(messageId, { dryRun: true });
console.log(
  `\nwould restore ${named(dry.restoredFiles)}; remove ${named(dry.deletedFiles)}; leave ${named(dry.conflicts)}`,
);
for (const { filePath, operation, insertions, deletions } of dry.changes) {
  console.log(`  ${operation} ${named([filePath])} +${insertions} -${deletions}`);
}

const { rewindId, conflicts } = await session.rewindFiles(messageId);
show('\nrewound');
console.log(`prices are ${readFileSync(join(project, 'prices.json'), 'utf8').trim()} again`);
console.log(
  `yours: todo.txt has "${readFileSync(join(project, 'todo.txt'), 'utf8').trim()}", and ${named(conflicts)} was left`,
);

if (rewindId) await session.rewindFiles(rewindId); // as if it had not been taken back
show('brought back');

await stop();
await session.close();
await deleteSession(session.sessionId, { store }); // its checkpoints go with it
rmSync(project, { recursive: true });
