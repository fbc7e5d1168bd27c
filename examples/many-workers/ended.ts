/** Resolves when the process is asked to end: by a signal, or by the end of the program that has started it. */
export async function ended(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.once('SIGTERM', resolve);
  process.once('SIGINT', resolve);
  process.once('disconnect', resolve);
  await promise;
  if (process.connected) process.disconnect();
}
