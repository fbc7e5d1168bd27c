/** Replaces a secret; valid unescaped in JSON, in addresses and in headers. */
export const REDACTED = 'REDACTED';
