import type { SandboxViolation } from '../driver/driver.ts';
import type { SandboxSettings } from './settings.ts';

/** The violations that are to be reported: patterns leave out a report, never a refusal. */
export function reportedViolations(
  violations: readonly SandboxViolation[],
  { ignoreFileViolations = [], ignoreNetworkViolations = [] }: SandboxSettings,
): SandboxViolation[] {
  const files = ignoreFileViolations.map(matcher);
  const hosts = ignoreNetworkViolations.map((pattern) => matcher(pattern.toLowerCase()));
  return violations.filter(({ kind, detail }) =>
    kind === 'file'
      ? !files.some((matches) => matches(detail))
      : !hosts.some((matches) => matches(detail.toLowerCase())),
  );
}

/** `*` stands for any text. The pattern is cut at its stars and the pieces looked for one behind the other: linear in the text. */
function matcher(pattern: string): (text: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
    const end = text.length - last.length;
    let at = first.length;
    for (const piece of rest) {
      const found = text.indexOf(piece, at);
      if (found === -1 || found + piece.length > end) return false;
      at = found + piece.length;
    }
    return true;
  };
}
