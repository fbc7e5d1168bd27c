import type { AgentEvent } from '@x/core';
import type { SessionStore } from '../log/session-store.ts';
import { sessionUsage } from '../log/usage.ts';
import type { Settings } from './assemble.ts';
import { waitedForBy } from './within-run.ts';

/** Runs the `SessionStart` hooks; their results apply to every run of the session. @throws AgentError `STOPPED_BY_HOOK` */
export async function startHooks(settings: Settings, source: 'startup' | 'resume' | 'fork'): Promise<void> {
  const { hooks } = settings;
  if (!hooks) return;
  const events: AgentEvent[] = [];
  // Nothing can abort it yet; each hook has its own time limit.
  const { signal } = new AbortController();
  settings.start = { ...(await hooks.sessionStart(source, { signal, emit: (event) => events.push(event) })), events };
}

/** Runs the `SessionEnd` hooks, before anything the session holds is freed. */
export async function endHooks({ hooks }: Settings, end: SessionEnd): Promise<void> {
  if (!hooks) return;
  const { store, sessionId, failed, emit } = end;
  const { calls, usage } = (await sessionUsage(store, sessionId)).total;
  const totals = { turns: calls, tokens: usage.totalTokens };
  const { signal } = new AbortController();
  await waitedForBy(sessionId, () => hooks.sessionEnd(failed ? 'error' : 'user_exit', totals, { signal, emit }));
}

interface SessionEnd {
  readonly store: SessionStore;
  readonly sessionId: string;
  /** Called with the hooks' events: there is no run any more. */
  readonly emit: (event: AgentEvent) => void;
  /** True when the last run ended with an error. */
  readonly failed: boolean;
}
