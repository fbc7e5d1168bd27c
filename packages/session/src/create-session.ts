import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type AgentConfig, userMessage, ValidationError } from '@x/core';
import { liveRun, memoryJournal } from '@x/executor';
import { assemble, type Settings, settingsFor } from './assemble.ts';
import { checkOptions } from './check-options.ts';
import { defaultStorePath } from './home.ts';
import { type EntryBody, LOG_FORMAT } from './log/entry.ts';
import { apply, emptyState } from './log/fold.ts';
import { readState } from './log/session-log.ts';
import type { SessionStore } from './log/session-store.ts';
import { Session } from './session.ts';
import { startHooks } from './session-hooks.ts';
import { sqliteStore } from './store/sqlite-store.ts';
import type { ISession, ResumeOptions, SessionOptions } from './types.ts';

/** A new session, under a fresh id. Closed by the caller. @throws ValidationError, AuthenticationError, and what the store throws */
export async function createSession(options: SessionOptions): Promise<ISession> {
  return await newSession(options);
}

/**
 * Goes on with a session that the store holds; what an interrupted run has left is taken up by the next `stream()`.
 * Its working directory stays the one it was made with unless `cwd` names another. @throws SessionError `SESSION_NOT_FOUND`
 */
export async function resumeSession(options: ResumeOptions): Promise<ISession> {
  checkOptions(options, { resuming: true });
  const { sessionId, ...rest } = options;
  if (typeof sessionId !== 'string') throw new ValidationError('sessionId is required', 'sessionId');
  return await withStore(rest, async (store, ownsStore) => {
    const state = await readState(store, sessionId);
    const settings = await settingsAt(rest, { sessionId, path: rest.cwd ?? state.cwd });
    await startHooks(settings, 'resume');
    return new Session({ sessionId, store, ownsStore, settings, state });
  });
}

/** `createSession`, with what only this package may use. */
export async function newSession(options: SessionOptions): Promise<Session> {
  checkOptions(options, { resuming: false });
  return await withStore(options, async (store, ownsStore) => {
    const sessionId = crypto.randomUUID();
    const settings = await settingsAt(options, { sessionId, path: options.cwd ?? process.cwd() });
    const first: EntryBody = { type: 'session_created', format: LOG_FORMAT, cwd: settings.cwd };
    await store.create(sessionId, first);
    const state = emptyState();
    apply(state, first);
    await startHooks(settings, 'startup');
    return new Session({ sessionId, store, ownsStore, settings, state });
  });
}

async function withStore(
  options: SessionOptions,
  make: (store: SessionStore, ownsStore: boolean) => Promise<Session>,
): Promise<Session> {
  const ownsStore = options.store === undefined;
  const store = options.store ?? sqliteStore({ path: defaultStorePath() });
  try {
    return await make(store, ownsStore);
  } catch (error) {
    if (ownsStore) await store[Symbol.asyncDispose]();
    throw error;
  }
}

async function settingsAt(options: SessionOptions, place: { sessionId: string; path: string }): Promise<Settings> {
  const { sessionId, path } = place;
  const cwd = resolve(path);
  const facts = await stat(cwd).catch(() => undefined);
  if (!facts?.isDirectory() && !options.workspace) {
    throw new ValidationError(`cwd ${cwd} is not a directory; make it first, or name another`, 'cwd');
  }
  const settings = settingsFor(copied(options), { sessionId, cwd: options.workspace?.cwd ?? cwd });
  if (options.validateHandlers) await tryHandlers(settings);
  return settings;
}

/** The host's lists and records as they are now: changing them later has no effect. */
function copied(options: SessionOptions): SessionOptions {
  const copy: Record<string, unknown> = { ...options };
  for (const [key, value] of Object.entries(options)) {
    if (Array.isArray(value)) copy[key] = [...(value as readonly unknown[])];
    else if (key === 'env') copy[key] = { ...(value as object) };
  }
  return copy as unknown as SessionOptions; // safe: the same keys and types
}

/** Runs every `beforeAgent` once on a configuration that is thrown away. */
async function tryHandlers(settings: Settings): Promise<void> {
  const { pipeline, tools, instruction } = assemble(settings);
  const config: AgentConfig = {
    instruction,
    tools: tools.map((tool) => ({ tool, returnDirectly: false })),
    input: [userMessage('')],
    options: { maxTurns: settings.maxTurns },
  };
  const ids = { sessionId: 'validation', runId: 'validation', messageId: config.input[0]!.id };
  const signal = new AbortController().signal;
  const run = liveRun({ ...ids, agentName: 'main', depth: 0, signal, journal: memoryJournal() });
  try {
    await pipeline.beforeAgent(config, run);
  } finally {
    await pipeline.runEnded({ subtype: 'aborted' }, run);
  }
}
