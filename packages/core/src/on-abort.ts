interface Called {
  readonly callbacks: Set<() => void>;
  readonly tell: () => void;
}

/** A listener costs several microseconds, more with each other one of its signal, so those that wait for the same signal share one. */
const calledBy = new WeakMap<AbortSignal, Called>();

/** Calls back when the signal is aborted, until the returned function is called. For a signal that is not aborted yet. */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  const called = calledBy.get(signal) ?? listen(signal);
  called.callbacks.add(callback);
  return () => {
    if (!called.callbacks.delete(callback) || called.callbacks.size > 0) return;
    signal.removeEventListener('abort', called.tell);
    if (calledBy.get(signal) === called) calledBy.delete(signal);
  };
}

function listen(signal: AbortSignal): Called {
  const callbacks = new Set<() => void>();
  const tell = () => {
    for (const callback of callbacks) callback();
  };
  const called = { callbacks, tell };
  calledBy.set(signal, called);
  signal.addEventListener('abort', tell);
  return called;
}
