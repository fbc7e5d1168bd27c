/** The same stream, each of its steps taken inside of `within`: a generator runs where its steps are asked for, not where it was made. */
export function steppedWithin<E, R>(
  stream: AsyncGenerator<E, R, void>,
  within: <T>(step: () => T) => T,
): AsyncGenerator<E, R, void> {
  const inside: AsyncGenerator<E, R, void> = {
    next: () => within(() => stream.next()),
    return: (value) => within(() => stream.return(value)),
    throw: (error) => within(() => stream.throw(error)),
    [Symbol.asyncIterator]: () => inside,
    [Symbol.asyncDispose]: async () => void (await inside.return(undefined as never)), // safe: nobody reads the value
  };
  return inside;
}
