/** The same stream, whose `return` calls `abort` first: a generator handles it only after the pending `next`, which may wait long. */
export function leaveAtOnce<E, R>(stream: AsyncGenerator<E, R, void>, abort: () => void): AsyncGenerator<E, R, void> {
  const leave = stream.return.bind(stream);
  stream.return = (value) => {
    abort();
    return leave(value);
  };
  return stream;
}
