/** One check of this host. */
export interface DiagnosisCheck {
  /**
   * For programs: `node`, `packages`, `home`, `store`, `clock`, `bash`, `ripgrep`, `sandbox`, `providers`, `network`; in the diagnosis of a session,
   * the kind of a notification.
   */
  readonly name: string;
  /** `failed`: sessions do not work here. `warning`: they work, with restrictions. */
  readonly status: 'ok' | 'warning' | 'failed';
  /** For people; never a key, a token or an address with a password in it. */
  readonly detail: string;
  /** Advice to the user. */
  readonly hint?: string;
}

/** The result of `diagnose`. */
export interface Diagnosis {
  /** True when no check has failed. */
  readonly ok: boolean;
  readonly checks: readonly DiagnosisCheck[];
}

/** A check without its name. */
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
