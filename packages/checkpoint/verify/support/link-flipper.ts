// Swaps the directory `d` of each place for a link to a place outside, for ever: `link-flipper.ts <place outside> <directory around>...`.
import { renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const [outside = '', ...roots] = process.argv.slice(2);
console.log('begin');
for (let turn = 0; ; turn++) {
  for (const root of roots) {
    const directory = join(root, 'd');
    const away = join(root, '..', `away-${turn}`); // a new name: what a rewind has made meanwhile must not end the swapping
    attempt(() => renameSync(directory, away));
    attempt(() => symlinkSync(outside, directory));
    attempt(() => unlinkSync(directory));
    attempt(() => renameSync(away, directory));
  }
}

function attempt(act: () => void): void {
  try {
    act();
  } catch {
    // the rewind has been there
  }
}
