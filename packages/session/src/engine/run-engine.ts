/** Work of an engine for one ask: resolves when the ask is done, rejects when the session has to come back. */
export type SessionWork = (sessionId: string, signal: AbortSignal) => Promise<void>;

/**
 * Brings sessions that have something to do to the processes that may run them. It decides nothing: the log says what there is to do, what
 * was done and who may write. An ask is delivered at least once: twice, late, after another process has done the work, or again after a
 * crash; the work then finds nothing left to do in the log. An engine that loses its asks loses no message: they wait in the store, and
 * `serveSessions` asks for them again when it starts. `engineContract` of `@x/session/testing` checks each implementation.
 */
export interface RunEngine extends AsyncDisposable {
  /**
   * Asks for one run of the session; resolves when the ask is taken, not when it is done. A second ask while one waits is the same
   * ask. One that comes while the session is being run makes it run once more afterwards. @throws SessionError `SESSION_CLOSED`
   */
  submit(sessionId: string): Promise<void>;
  /**
   * Runs `work` once per ask until disposed, never twice at once for one session. A rejection brings the session back later, however often.
   * Several calls of `serve` share the asks. Disposing takes no further ask, aborts the signals of the work under way and waits for it;
   * rejected and waiting asks go to the next to serve. @throws SessionError `SESSION_CLOSED`
   */
  serve(work: SessionWork): Promise<AsyncDisposable>;
}
