/**
 * Everything here is one shape: an async generator that yields events and returns a value.
 *
 * - `forwarded(() => stream, { event, end, fail, leave })` filters, changes or watches a stream; `readToEnd` reads one; `relayed` is a promise that
 *   reads streams, as a stream; `steppedWithin` takes steps in a context; `leaveAtOnce` is for readers who do not wait.
 * - `beforeFirstDelta` replaces a stream that fails before anything was shown.
 * - `watchStream` sees the first step and the end alone, and costs the events nothing.
 * - `SteppedStream` is the base of streams written by hand, where a generator costs too much.
 * - `inner(stream)` and `flattened(stream)` are `yield*` for what many streams lie around: `const whole = inner(stream); yield whole;`,
 *   then `whole.result`, in a generator that `flattened` runs. The rule: **where deltas or batches pass; everything else `yield*`.** 60,000
 *   deltas through a session in memory take 64 ms so, and 115 ms with `yield*` (decision 0039).
 */
export { beforeFirstDelta, isDelta } from './before-first-delta.ts';
export { flattened } from './flattened.ts';
export { type Forwarding, forwarded } from './forwarded.ts';
export { type InnerStream, inner, type Nested } from './inner.ts';
export { leaveAtOnce } from './leave-at-once.ts';
export { readToEnd } from './read-to-end.ts';
export { type Relay, relayed } from './relayed.ts';
export { SteppedStream } from './stepped-stream.ts';
export { steppedWithin } from './stepped-within.ts';
export { type StreamWatcher, watchStream } from './watch-stream.ts';
