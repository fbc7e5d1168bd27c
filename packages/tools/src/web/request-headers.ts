/** Maximum characters of headers that are sent, and that are shown. */
export const MAX_HEADER_CHARACTERS = 1_500;

/** Parses lines `Name: value` as headers, or returns the fault. */
export function headersOf(text: string): Headers | string {
  const headers = new Headers();
  if (text.length > MAX_HEADER_CHARACTERS) return `The headers have more than ${MAX_HEADER_CHARACTERS} characters.`;
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const colon = line.indexOf(':');
    if (colon < 1) return `${JSON.stringify(line)} is not a header; write "Name: value".`;
    try {
      headers.append(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    } catch {
      return `${JSON.stringify(line)} is not a header: its name or its value has a character that cannot be sent.`;
    }
  }
  return headers;
}
