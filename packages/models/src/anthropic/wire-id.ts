const NOT_IN_IDS = /[^a-zA-Z0-9_-]/g;
const MAX_NAME = 128;

/** The id of a call as the service takes it (`^[a-zA-Z0-9_-]+$`): the same for call and result, and another for another id. */
export function wireId(id: string): string {
  // a letter that is not allowed becomes its number
  return id.replace(NOT_IN_IDS, (letter) => `_${letter.codePointAt(0)?.toString(16)}_`) || 'call';
}

/** The name of a called tool as the service takes it. Tools that are offered have such names; models may call others. */
export function wireName(name: string): string {
  return name.replace(NOT_IN_IDS, '_').slice(0, MAX_NAME) || 'unnamed';
}
