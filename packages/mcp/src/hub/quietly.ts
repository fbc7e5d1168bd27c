/** Calls a function of the host: one that fails must not break the connection that it is told about. */
export function quietly(call: () => void): void {
  try {
    call();
  } catch {
    // The host's own function has failed; there is nobody else to tell.
  }
}
