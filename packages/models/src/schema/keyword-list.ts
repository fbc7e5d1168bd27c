/** Words with white space between them, as a list. */
export function keywordList(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
