/**
 * Reads a stream to its end and returns its value. `see` is called with each event; an error that it throws ends the stream, and is
 * rethrown.
 */
export async function readToEnd<E, R>(stream: AsyncGenerator<E, R, void>, see?: (event: E) => void): Promise<R> {
  for (;;) {
    const step = await stream.next();
    if (step.done) return step.value;
    try {
      see?.(step.value);
    } catch (error) {
      await stream.return(undefined as never); // safe: nobody reads the value
      throw error;
    }
  }
}
