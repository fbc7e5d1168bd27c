import { tmpdir } from 'node:os';
import { AbortError } from '@x/core';
import { deadline } from '@x/core/internal';
import { hostWorkspace } from '@x/sandbox';
import type { Finding } from './diagnosis.ts';

/** Milliseconds that a program has to print its version. */
const TIMEOUT_MS = 10_000;
/** Characters of output that are read. */
const ENOUGH = 1_000;

/** Checks the shell of the tool Bash and of hooks. @throws AbortError */
export async function checkBash(signal: AbortSignal, path?: string): Promise<Finding> {
  const { code, output } = await said('echo "shell $BASH_VERSION"', signal, path);
  const version = /^shell (\S+)/m.exec(output)?.[1];
  if (code === 0 && version !== undefined) return { status: 'ok', detail: `bash ${version}` };
  if (code === 0) {
    return { status: 'warning', detail: 'there is no /bin/bash; commands run in /bin/sh', hint: 'Install bash' };
  }
  return {
    status: 'failed',
    detail: `a command could not be run: ${output.trim() || `code ${code}`}`,
    hint: 'Install bash',
  };
}

/** Checks ripgrep, which Grep uses first. @throws AbortError */
export async function checkRipgrep(signal: AbortSignal, path?: string): Promise<Finding> {
  const { code, output } = await said('rg --version', signal, path);
  const version = /^ripgrep (\S+)/.exec(output)?.[1];
  if (code === 0 && version !== undefined) return { status: 'ok', detail: `ripgrep ${version}` };
  const detail = 'rg is not on the PATH; Grep works without it, and looks into each file itself';
  return { status: 'warning', detail, hint: 'Install ripgrep: Grep is faster in large trees with it' };
}

/** Runs a command as the tools do; `path` is the PATH it sees. */
async function said(
  command: string,
  signal: AbortSignal,
  path?: string,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const limit = deadline(signal, TIMEOUT_MS);
  try {
    const workspace = hostWorkspace({ cwd: tmpdir(), ...(path === undefined ? {} : { env: { PATH: path } }) });
    const running = workspace.spawn(command, { signal: limit.signal, readonly: true });
    const decoder = new TextDecoder();
    let output = '';
    for await (const { bytes } of running.output) if (output.length < ENOUGH) output += decoder.decode(bytes);
    const { code } = await running.exit;
    if (signal.aborted) throw new AbortError();
    return { code, output: output.slice(0, ENOUGH) };
  } finally {
    limit.clear();
  }
}
