import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostWorkspace } from '@x/sandbox';
import type { HookConfig } from '../src/hooks/types.ts';
import { bash, hooked, notifications } from './hooked.ts';
import { journaledRun } from './journaled-run.ts';

/** A PreToolUse hook that is this shell command. */
export function guardedBy(command: string, more: HookConfig & { timeout?: number } = {}) {
  const { timeout, ...settings } = more;
  const hook = { type: 'command' as const, command, ...(timeout === undefined ? {} : { timeout }) };
  return { ...settings, PreToolUse: [{ hooks: [hook] }] } satisfies HookConfig;
}

/** Hooks whose commands run in a folder of this host: made when it is first needed, there until `close` removes it. */
export function hostHooks() {
  let made: string | undefined;
  const folder = () => (made ??= mkdtempSync(join(tmpdir(), 'hooks-')));

  /** Sends one call through the hooks. */
  async function judged(config: HookConfig, { input = { command: 'ls' }, signal = new AbortController().signal } = {}) {
    const { run } = journaledRun({ signal });
    const workspace = hostWorkspace({ cwd: folder(), env: { GREETING: 'hello' } });
    const { call, ran } = hooked(config, { workspace, run });
    const { value, events } = await call({ ...bash(), input, signal });
    return { value, ran, failures: notifications(events, 'hook_failed'), shown: notifications(events, 'hook_output') };
  }

  const close = async () => {
    if (made !== undefined) await rm(made, { recursive: true, force: true });
  };
  return { folder, judged, close };
}
