const NOT_IN_IDS = /[^a-zA-Z0-9_-]/g;
const MAX_NAME = 128;

/** The id of a call in the service's format (`^[a-zA-Z0-9_-]+$`): equal for call and result, distinct for distinct ids. */
export function wireId(id: string): string {
  // a character that is not allowed becomes its code point
  return id.replace(NOT_IN_IDS, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`) || 'call';
}

/** The name of a called tool in the service's format. Offered tools have such names; models may call others. */
export function wireName(name: string): string {
  return name.replace(NOT_IN_IDS, '_').slice(0, MAX_NAME) || 'unnamed';
}
