/** The text, or its beginning and a note about the rest. */
export function clip(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  return `${text.slice(0, maxCharacters).toWellFormed()} [${text.length - maxCharacters} characters more]`;
}
