/** One thing that a raw server does. */
export type Step =
  | { readonly result: unknown }
  | { readonly error: unknown }
  /** `$count` and `$token` are replaced. */
  | { readonly send: object; readonly times?: number }
  | { readonly write: string; readonly times?: number }
  /** Kilobytes. */
  | { readonly stderr: number }
  | { readonly exit: number }
  | { readonly deaf: true }
  | { readonly stubborn: true }
  | { readonly stays: true }
  | { readonly detach: true }
  | { readonly later: number; readonly steps: readonly Step[] }
  | { readonly every: number; readonly steps: readonly Step[] };
/** Steps by the method that they answer, `call <tool>` for one tool, `start` for the beginning. */
export type Behaviour = Readonly<Record<string, readonly Step[]>>;
