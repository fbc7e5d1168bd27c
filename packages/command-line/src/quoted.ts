/** A piece of the line in backquotes, shortened when long, followed by a remark. */
export function quoted(text: string, said: string): string {
  return `\`${text.length > 80 ? `${text.slice(0, 80)}...` : text}\` ${said}`;
}
