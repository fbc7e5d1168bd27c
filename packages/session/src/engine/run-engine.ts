/** What an engine calls for one ask: resolves when the ask is done, rejects when the session has to come back. */
export type SessionWork = (sessionId: string, signal: AbortSignal) => Promise<void>;

/**
 * Brings sessions that have something to do to those who may run them. It decides nothing: what there is to do, what was done and who
 * may write is in the log. An ask is delivered at least once: it may come twice, late, after another process has done the work, or
 * after a crash again; the work then finds in the log that nothing is left to do. An engine that has lost its asks has lost no
 * message: they wait in the store, and `serveSessions` asks for them again when it starts. `engineContract` of `@x/session/testing`
 * holds each implementation to this text.
 */
export interface RunEngine extends AsyncDisposable {
  /**
   * Asks for one run of the session; resolves when the ask is taken, not when it is done. A second ask while one waits is the same
   * ask. One that comes while the session is being run makes it run once more afterwards. @throws SessionError `SESSION_CLOSED`
   */
  submit(sessionId: string): Promise<void>;
  /**
   * Runs `work` once per ask until disposed, never twice at once for one session. A rejection brings the session back later, however
   * often. Several who serve share the asks. Disposing takes no further ask, aborts the signals of the work under way and waits for
   * it; what then rejects, and what still waits, goes to whoever serves next. @throws SessionError `SESSION_CLOSED`
   */
  serve(work: SessionWork): Promise<AsyncDisposable>;
}
