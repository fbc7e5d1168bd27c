/**
 * Removes the headers that the official clients of OpenAI and Anthropic add from a variable (`name: value`, one a line), whatever their
 * address: a host sets headers in its configuration.
 */
export function withoutEnvironmentHeaders(variable: string): Readonly<Record<string, null>> {
  const lines = (process.env[variable] ?? '').split('\n').filter((line) => line.includes(':'));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')).trim().toLowerCase(), null]));
}
