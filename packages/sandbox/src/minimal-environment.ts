const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR'] as const;

/** The variables of this process that commands may see: never its keys and tokens. */
export function minimalEnvironment(source: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = source[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
