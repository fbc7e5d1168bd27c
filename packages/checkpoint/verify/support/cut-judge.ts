// Judges a disk after a power cut, at its own place: `cut-judge.ts <root> <file> <the last round that was told>`. Prints faults as JSON.
import { createCheckpointer } from '../../src/index.ts';
import { picture } from '../../test/picture.ts';
import { told } from './checkpoint-judge.ts';
import { afterRound } from './rounds.ts';
import { unlike } from './three-states.ts';

const [cwd = '', file = '', last = ''] = process.argv.slice(2);
const round = Number(last);
console.log(JSON.stringify(await faultsOf().catch((error: unknown) => [`it cannot be opened: ${String(error)}`])));

async function faultsOf(): Promise<string[]> {
  const faults: string[] = [];
  const found = picture(cwd);
  // Of the round that was told, one before it by a rewind, or one of the next that nobody was told of yet.
  const possible = [-1, 0, 1, 2].map((more) => afterRound(round + more));
  for (const path of ['one', 'two', 'three'])
    if (!possible.some((one) => one[path] === found[path]))
      faults.push(`${path} is mixed or lost: ${found[path]?.slice(0, 40)}`);
  const checkpointer = await createCheckpointer({ cwd, file });
  const { errors } = await checkpointer.rewind(last, { force: true });
  await checkpointer.close();
  const left = unlike(picture(cwd), afterRound(round - 1));
  if (errors.length > 0 || left.length > 0)
    faults.push(`round ${last} was told, and ${left.join()} differ: ${told(errors)}`);
  return faults;
}
