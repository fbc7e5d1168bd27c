/** A path below the root, without `/` at its beginning; each byte is one character from U+0000 to U+00FF. */
export type TreePath = string;

/** True for a path whose text is the same as its bytes. */
export function isAscii(path: TreePath): boolean {
  return !/[\u0080-\u00ff]/.test(path);
}

/** What a path is, as far as it is remembered. */
export type Entry =
  | {
      readonly kind: 'file';
      /** Permission bits. */
      readonly mode: number;
      readonly size: number;
      /** SHA-256 of the content, in base64url; null when the content is not kept. */
      readonly hash: string | null;
      /** Why it is not kept. */
      readonly why?: Unkept;
      /** Tells two states of a content that is not kept apart. */
      readonly stamp?: string;
    }
  | { readonly kind: 'directory'; readonly mode: number }
  | { readonly kind: 'symlink'; readonly target: string };

/** `too_large`: above `maxFileBytes`; `quota`: all contents together are above `maxTotalBytes`; `unreadable`: closed to this user. */
export type Unkept = 'too_large' | 'quota' | 'unreadable';

/** True when both are the same state of a path; null is no file at all. */
export function isSame(one: Entry | null, other: Entry | null): boolean {
  if (one === null || other === null) return one === other;
  if (one.kind === 'symlink') return other.kind === 'symlink' && one.target === other.target;
  if (one.kind === 'directory') return other.kind === 'directory' && one.mode === other.mode;
  if (other.kind !== 'file' || one.mode !== other.mode || one.size !== other.size) return false;
  return one.hash === null ? other.hash === null && one.stamp === other.stamp : one.hash === other.hash;
}
