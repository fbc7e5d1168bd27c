import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Memory in MB that is held once the garbage is collected. */
export async function usedMb(): Promise<number> {
  setFlagsFromString('--expose-gc');
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    (runInNewContext('gc') as () => void)(); // safe: the flag makes it one; last, or what is made while it waits would count
  }
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}
