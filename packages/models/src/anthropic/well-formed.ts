/** A JSON value without lone surrogates, which services refuse; returned unchanged if it has none. */
export function wellFormed(value: unknown): unknown {
  // JSON.stringify writes a lone surrogate, and nothing else, as such an escape
  if (!/\\ud[89a-f][0-9a-f]{2}/i.test(JSON.stringify(value))) return value;
  return repaired(value);
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(repaired);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.toWellFormed(), repaired(member)]));
}
