/** Sessions for `createApp`, `createServer` and `serve`: see `sessionHost`. */
export interface SessionHost extends AsyncDisposable {
  /**
   * Goes on with the runs that have not ended, and runs what is sent from then on. `serve` and `createServer` call it; with `createApp`, and
   * in a worker that serves no HTTP, it is yours to call. May be called again. @throws AgentError `SERVER_CLOSED` after `close`, and errors of the store
   */
  start(): Promise<void>;
  /**
   * Ends the streams of those who follow, and leaves runs where they are, after `drainMs`: the next host of the store goes on with them. The
   * store stays open. `serve` and `createServer` call it when they are closed. May be called again.
   */
  close(): Promise<void>;
}
