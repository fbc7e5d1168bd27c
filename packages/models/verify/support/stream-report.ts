/** What one part of the suite has found. */
export interface StreamReport {
  /** Each is told when it has faults. */
  readonly checks: readonly { readonly name: string; readonly faults: readonly string[] }[];
  /** Figures. */
  readonly lines: readonly string[];
}
