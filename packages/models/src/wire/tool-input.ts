/**
 * The input of a call from its streamed JSON. Bad JSON becomes the text itself: an input that fails the tool's schema, so that the
 * model reads what was wrong. `cut` says that the reply was ended before its time, so that no text at all may be an unfinished one.
 */
export function toolInput(text: string, cut: boolean): unknown {
  if (text.trim() === '') return cut ? text : {};
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** An id for a call that came without one; services take at most 40 characters. */
export function newCallId(): string {
  return `call_${crypto.randomUUID().replaceAll('-', '')}`;
}
