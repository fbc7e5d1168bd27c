/** Work that fails as often as there are errors, then answers; tells when each attempt began. */
export function failingWork(...errors: readonly unknown[]) {
  const left = [...errors];
  const startedAt: number[] = [];
  const work = async (): Promise<string> => {
    startedAt.push(Date.now());
    if (left.length > 0) throw left.shift();
    return 'done';
  };
  return { work, startedAt };
}

/** An error that another attempt may not meet. */
export function reset(): Error {
  return Object.assign(new Error('reset'), { code: 'ECONNRESET' });
}

/** Work that never ends. */
export function forever(): Promise<never> {
  return new Promise<never>(() => undefined);
}
