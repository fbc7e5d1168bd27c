const PASSED_ON = ['PATH', 'HOME', 'LANG', 'TERM', 'TMPDIR'] as const;

/** The part of this process's environment that a command gets: never its keys and tokens. */
export function commandEnvironment(source: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of PASSED_ON) {
    const value = source[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
