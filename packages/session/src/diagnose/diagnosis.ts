/** What one look at this host has found. */
export interface DiagnosisCheck {
  /**
   * A word for programs: `node`, `packages`, `home`, `store`, `clock`, `bash`, `ripgrep`, `providers`, `network`; of a session's own
   * diagnosis the kind of a notification.
   */
  readonly name: string;
  /** `failed`: sessions do not work here. `warning`: they do, with less than there could be. */
  readonly status: 'ok' | 'warning' | 'failed';
  /** For people; never a key, a token or an address with a password in it. */
  readonly detail: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** What works on this host. */
export interface Diagnosis {
  /** Whether no check has failed. */
  readonly ok: boolean;
  readonly checks: readonly DiagnosisCheck[];
}

/** A check but for its name. */
export type Finding = Omit<DiagnosisCheck, 'name'>;

/** A diagnosis as lines of text, for a terminal or a report: one for each check, hints below. */
export function formatDiagnosis({ ok, checks }: Diagnosis): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  const lines = checks.flatMap(({ name, status, detail, hint }) => {
    const line = `${status.padEnd('warning'.length)}  ${name.padEnd(width)}  ${oneLine(detail)}`;
    return hint === undefined ? [line] : [line, `${' '.repeat('warning'.length + width + 4)}${oneLine(hint)}`];
  });
  return [...lines, ok ? 'Sessions work on this host.' : 'Sessions do not work on this host yet.'].join('\n');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
