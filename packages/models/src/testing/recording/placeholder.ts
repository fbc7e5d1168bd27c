/** What stands where a secret stood; it means itself in JSON, in addresses and in headers. */
export const REDACTED = 'REDACTED';
