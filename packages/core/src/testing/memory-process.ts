import type { ProcessExit, ProcessOutput, SpawnedProcess, SpawnOptions } from '../workspace.ts';

/** The behaviour of a scripted command. An empty reply prints nothing and ends with code 0. */
export interface CommandReply {
  /** Printed chunk by chunk, on stdout by default. */
  readonly output?: string | readonly (string | Uint8Array | ProcessOutput)[];
  /** Default 0. */
  readonly code?: number;
  /** Never ends by itself: it must be ended with `kill` or the signal. */
  readonly hangs?: boolean;
}

/** A process that plays back a reply; ending it early gives the signal `SIGKILL`, as with a real one. */
export function memoryProcess(reply: () => Promise<CommandReply>, { signal }: SpawnOptions): SpawnedProcess {
  const exit = Promise.withResolvers<ProcessExit>();
  const killed = Promise.withResolvers<void>();
  const state = { over: false };
  const end = (how: ProcessExit) => {
    if (state.over) return;
    state.over = true;
    signal.removeEventListener('abort', kill);
    exit.resolve(how);
    killed.resolve();
  };
  const kill = () => end({ code: null, signal: 'SIGKILL' });
  if (signal.aborted) kill();
  else signal.addEventListener('abort', kill, { once: true });
  async function* output(): AsyncGenerator<ProcessOutput, void, void> {
    try {
      if (state.over) return;
      const { output: chunks = [], code = 0, hangs = false } = await reply();
      for (const chunk of typeof chunks === 'string' ? [chunks] : chunks) {
        if (state.over) return;
        yield outputOf(chunk);
      }
      if (hangs) await killed.promise;
      end({ code, signal: null });
    } finally {
      kill();
    }
  }
  return { output: output(), exit: exit.promise, kill };
}

function outputOf(chunk: string | Uint8Array | ProcessOutput): ProcessOutput {
  if (typeof chunk === 'string') return { channel: 'stdout', bytes: new TextEncoder().encode(chunk) };
  return chunk instanceof Uint8Array ? { channel: 'stdout', bytes: chunk } : chunk;
}
