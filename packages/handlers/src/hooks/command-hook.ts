import type { SpawnedProcess, Workspace } from '@x/core';

/** The end of a command, and its output. */
export interface CommandEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The channel that exceeded the limit, for which the command was ended. */
  readonly flooded?: 'stdout' | 'stderr';
}

const MAX_BYTES = { stdout: 1024 * 1024, stderr: 64 * 1024 };

/** Runs a command to its end, in the workspace's directory and environment; none of its processes runs any more when this settles. */
export async function runCommand(
  command: string,
  { workspace, stdin, signal }: { workspace: Workspace; stdin: string; signal: AbortSignal },
): Promise<CommandEnd> {
  const running = workspace.spawn(command, { stdin: new TextEncoder().encode(stdin), signal });
  try {
    const said = await listen(running);
    running.kill();
    return { ...said, ...(await running.exit) };
  } finally {
    running.kill();
  }
}

async function listen(running: SpawnedProcess): Promise<Pick<CommandEnd, 'stdout' | 'stderr' | 'flooded'>> {
  const texts = { stdout: '', stderr: '' };
  const bytes = { stdout: 0, stderr: 0 };
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() };
  for await (const { channel, bytes: chunk } of running.output) {
    bytes[channel] += chunk.length;
    if (bytes[channel] > MAX_BYTES[channel]) return { ...texts, flooded: channel };
    texts[channel] += decoders[channel].decode(chunk, { stream: true });
  }
  return { stdout: texts.stdout + decoders.stdout.decode(), stderr: texts.stderr + decoders.stderr.decode() };
}
