import { isAgentError } from '@x/core';
import { forkKnown } from './fork-session.ts';
import { processDirectory } from './host/home.ts';
import { type EntryBody, LOG_FORMAT } from './log/entry.ts';
import { firstLook } from './log/first-look.ts';
import { apply, emptyState } from './log/fold.ts';
import { loadState } from './log/load-state.ts';
import { takeOver } from './log/ownership.ts';
import type { SessionStore } from './log/session-store.ts';
import { whileSlow } from './log/slow-store.ts';
import { askedFacts } from './log/title.ts';
import { settingsAt, withStore } from './open-session.ts';
import { ownOptions } from './options/own-options.ts';
import type { ISession } from './options/session-interface.ts';
import type { ResumeOptions, SessionOptions } from './options/types.ts';
import { startHooks } from './run/session-hooks.ts';
import { recordAsked } from './run/title-and-metadata.ts';
import { Session } from './session.ts';
import { alreadyExists } from './store/refusals.ts';

/** Milliseconds that a new session waits for a slow store. */
const CREATE_PATIENCE_MS = 30_000;

/**
 * Creates a session under a fresh id. Closed by the caller.
 * @throws ValidationError, AuthenticationError, AgentError `UNSUPPORTED_NODE`, and errors of the store
 */
export async function createSession(options: SessionOptions): Promise<ISession> {
  return await newSession(options);
}

/**
 * Resumes a session that the store holds; the next `stream()` continues an interrupted run. The working directory is the one it was created
 * with unless `cwd` names another. A long log is read when it is needed, not here. Closed by the caller.
 * @throws SessionError `SESSION_NOT_FOUND`, `LOG_TOO_NEW`, `LOG_DAMAGED` as far as the log was read, `SESSION_BUSY` when `title` or
 * `metadata` change while it is run elsewhere; ValidationError, AuthenticationError
 */
export async function resumeSession(options: ResumeOptions): Promise<ISession> {
  const { sessionId, takeOver: isTakenOver, ...rest } = ownOptions(options, { resuming: true });
  return await withStore(rest, async (store, ownsStore) => {
    if (isTakenOver) await takeOver(store, sessionId);
    const { cwd, state: found } = await firstLook(store, sessionId);
    const settings = await settingsAt(rest, { sessionId, path: rest.cwd ?? cwd, store });
    const state = (await recordAsked(store, sessionId, rest)) ?? found;
    await startHooks(settings, 'resume');
    if (settings.servers)
      await settings.servers.open((state ?? (await loadState(store, sessionId)).state).mcpPins ?? []);
    return new Session({ sessionId, store, ownsStore, settings, state, fork: forkKnown });
  });
}

/**
 * `createSession` under an id that the caller has made, so that a creation that is asked for again makes no second session. One that has
 * stopped in the middle is ended. Closed by the caller. @throws as `createSession`; SessionError `SESSION_EXISTS`
 */
export async function createSessionAs(sessionId: string, options: SessionOptions): Promise<ISession> {
  return await newSession(options, sessionId);
}

/** `createSession` with more of the result, for this package. */
export async function newSession(given: SessionOptions, sessionId: string = crypto.randomUUID()): Promise<Session> {
  const options = ownOptions(given, { resuming: false });
  return await withStore(options, async (store, ownsStore) => {
    const settings = await settingsAt(options, { sessionId, path: options.cwd ?? processDirectory(), store });
    const first: EntryBody = { type: 'session_created', format: LOG_FORMAT, cwd: settings.cwd };
    const facts = askedFacts(options);
    try {
      await recordBeginning(store, sessionId, [first, ...facts]);
      const state = emptyState();
      for (const body of [first, ...facts]) apply(state, body);
      await startHooks(settings, 'startup');
      await settings.servers?.open([]);
      return new Session({ sessionId, store, ownsStore, settings, state, fork: forkKnown });
    } catch (error) {
      if (!isOf(error, 'SESSION_EXISTS')) settings.checkpoints?.remove(); // those of the session that exists
      throw error;
    }
  });
}

/** Writes the first entries of a session, or those that a creation which has stopped in the middle left out. @throws SessionError `SESSION_EXISTS` */
async function recordBeginning(
  store: SessionStore,
  sessionId: string,
  [first, ...facts]: readonly [EntryBody, ...EntryBody[]],
): Promise<void> {
  const limit = performance.now() + CREATE_PATIENCE_MS;
  try {
    await whileSlow(() => store.create(sessionId, first), { until: () => limit });
  } catch (error) {
    if (!isOf(error, 'SESSION_EXISTS') || facts.length === 0) throw error;
  }
  if (facts.length === 0) return;
  try {
    await store.append(sessionId, { epoch: 0, head: 1 }, facts);
  } catch (error) {
    throw isOf(error, 'SESSION_FENCED', 'SESSION_CONFLICT') ? alreadyExists(sessionId) : error; // it has more entries
  }
}

function isOf(error: unknown, ...codes: readonly string[]): boolean {
  return isAgentError(error) && codes.includes(error.code);
}
