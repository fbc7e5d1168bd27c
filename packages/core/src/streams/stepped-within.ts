/** The same stream, each of its steps run inside `within`: a generator runs where its steps are requested, not where it was created. */
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
