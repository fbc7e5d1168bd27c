/** Reads a stream to its end: what it yielded, and what it returned. */
export async function collect<E, R>(stream: AsyncGenerator<E, R, void>): Promise<{ events: E[]; value: R }> {
  const events: E[] = [];
  for (;;) {
    const step = await stream.next();
    if (step.done) return { events, value: step.value };
    events.push(step.value);
  }
}
