/** What a stream returns. `see` is given each event; what it throws ends the stream, and is the error. */
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
