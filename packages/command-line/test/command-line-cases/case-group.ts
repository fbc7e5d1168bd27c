/** Lines with the answers that `git *` as an allow rule and `curl *` and `rm *` as deny rules give about each. */
export interface CaseGroup {
  readonly title: string;
  readonly covered: boolean;
  readonly curl: 'yes' | 'no';
  readonly rm: 'yes' | 'no' | 'unknown';
  readonly lines: readonly string[];
}
