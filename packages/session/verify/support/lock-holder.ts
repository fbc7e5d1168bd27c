// Another process: for each line `path milliseconds` on its input it holds the write lock of that file for so long. It says `held path`
// and `free path`.

import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';

for await (const line of createInterface({ input: process.stdin })) {
  const [path = '', ms] = line.split(' ');
  const database = new DatabaseSync(path, { timeout: 2_000 });
  database.exec('begin immediate');
  console.log(`held ${path}`);
  setTimeout(() => {
    database.exec('commit');
    database.close();
    console.log(`free ${path}`);
  }, Number(ms));
}
