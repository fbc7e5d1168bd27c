import type { ProcessExit, SpawnedProcess } from '@x/core';

/** Reads a process to its end. */
export async function outputOf(
  running: SpawnedProcess,
): Promise<{ stdout: string; stderr: string; exit: ProcessExit }> {
  const printed = { stdout: '', stderr: '' };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const { channel, bytes } of running.output) {
    printed[channel] += decoders[channel].decode(bytes, { stream: true });
  }
  return { ...printed, exit: await running.exit };
}
