import { present } from '@x/core/internal';
import type { McpPin } from '@x/mcp';
import { SessionCheckpoints } from './checkpoints/session-checkpoints.ts';
import type { EntryBody } from './log/entry.ts';
import { endOfRun, type SessionState, scopeOf } from './log/fold.ts';
import { cutBehind, type History, lastCompleteTurn, lastWhole, readHistory } from './log/fork-point.ts';
import { loadState } from './log/load-state.ts';
import { isOwned } from './log/ownership.ts';
import type { SessionStore } from './log/session-store.ts';
import { askedFacts } from './log/title.ts';
import { settingsAt, withStore } from './open-session.ts';
import { ownOptions } from './options/own-options.ts';
import type { ISession } from './options/session-interface.ts';
import type { ForkOptions } from './options/types.ts';
import { withoutAllowedRules } from './run/allowed-rules.ts';
import { startHooks } from './run/session-hooks.ts';
import { appendOnce } from './run/title-and-metadata.ts';
import { Session } from './session.ts';

/**
 * Creates a session that begins with the history of another, whose log stays as it is. The cut is after the message `messageId`, of any
 * role; without one everything is copied, or all complete turns while the session is run. A fork that ends with a message or with tool
 * results continues with them at the next `stream()`. Messages that wait to be delivered stay with the source. Closed by the caller.
 * @throws SessionError `SESSION_NOT_FOUND`, `MESSAGE_NOT_FOUND`, `INVALID_FORK_POINT` after a reply whose calls would stay unanswered
 * (`details`: `messageId`, and the `validIds`), `LOG_DAMAGED`, `LOG_TOO_NEW`; ValidationError, AuthenticationError
 */
export async function forkSession(options: ForkOptions): Promise<ISession> {
  return await forkKnown(options, { isRun: false });
}

/** Facts about the source. */
interface KnownSource {
  readonly isRun: boolean;
  readonly checkpoints?: SessionCheckpoints | undefined;
}

/** `forkSession` for callers who may know that the source is run; its lease is then not looked at. */
export async function forkKnown(options: ForkOptions, { isRun, checkpoints }: KnownSource): Promise<ISession> {
  const own = ownOptions(options, { resuming: true, forking: true });
  const { sessionId, messageId, copyCheckpoints, copyRules, ...rest } = own;
  return await withStore(rest, async (store, ownsStore) => {
    const history = await readHistory(store, sessionId);
    const upTo = messageId === undefined ? await newestCut(store, history, isRun) : cutBehind(history, messageId);
    const forkId = crypto.randomUUID();
    const place = { sessionId: forkId, path: rest.cwd ?? history.state.cwd, store };
    const of = { sessionId, cwd: history.state.cwd, leaveOut: store.files ?? [] };
    const copied = { source: checkpoints ?? new SessionCheckpoints(of), ...present({ upTo: messageId }) };
    const settings = await settingsAt(rest, { ...place, ...(copyCheckpoints ? { copied } : {}) });
    try {
      await store.fork(sessionId, upTo, forkId);
      const { mcpPins } = history.state;
      const state = await begun(store, forkId, { ...rest, ...present({ copyRules, mcpPins }) });
      await startHooks(settings, 'fork');
      await settings.servers?.open(mcpPins ?? []);
      return new Session({ sessionId: forkId, store, ownsStore, settings, state, fork: forkKnown });
    } catch (error) {
      await store.remove(forkId).catch(() => undefined); // what made it fail is what matters
      settings.checkpoints?.remove();
      throw error;
    }
  });
}

/** The newest valid cut, for a fork without a `messageId`. */
async function newestCut(store: SessionStore, history: History, isRun: boolean): Promise<number> {
  // Only its lease distinguishes a crashed run from one under way.
  const isOpen = history.openRun && (isRun || (await isOwned(store, history.sessionId)));
  return isOpen ? lastCompleteTurn(history) : lastWhole(history);
}

/** The state of the new session, after its own first entries. */
async function begun(
  store: SessionStore,
  sessionId: string,
  asked: Parameters<typeof askedFacts>[0] & Pick<ForkOptions, 'copyRules'> & Pick<SessionState, 'mcpPins'>,
): Promise<SessionState> {
  const { state } = await loadState(store, sessionId);
  const bodiesFor = (now: SessionState) => [
    ...endOfCutRun(now),
    ...(asked.copyRules ? [] : withoutAllowedRules(now)),
    ...(asked.mcpPins && hasOtherPins(asked.mcpPins, now.mcpPins)
      ? [{ type: 'mcp_pins' as const, pins: [...asked.mcpPins] }] // also those from behind the cut
      : []),
    ...askedFacts(asked, now),
  ];
  if (bodiesFor(state).length === 0) return state;
  return await appendOnce(store, sessionId, bodiesFor);
}

/** True when some were seen or approved behind the cut: what was approved again keeps its place. */
function hasOtherPins(all: readonly McpPin[], kept: readonly McpPin[] = []): boolean {
  return all.length !== kept.length || all.some(({ hash }, index) => hash !== kept[index]?.hash);
}

/** The end of a run that was cut after a reply without calls: nothing is left to do, and a message sent to the fork starts another. */
function endOfCutRun(state: SessionState): EntryBody[] {
  const { messages, calls } = scopeOf(state, []);
  const last = messages.at(-1);
  if (calls || last?.role !== 'assistant') return [];
  return endOfRun(state, last.stopReason === 'interrupted' ? 'aborted' : 'success');
}
