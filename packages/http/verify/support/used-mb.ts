import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Memory in MB that is held once the garbage is collected. */
export async function usedMb(): Promise<number> {
  setFlagsFromString('--expose-gc');
  for (let round = 0; round < 3; round += 1) {
    (runInNewContext('gc') as () => void)(); // safe: the flag makes it one
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}
