/** Splits words at white space. */
export function keywordList(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
