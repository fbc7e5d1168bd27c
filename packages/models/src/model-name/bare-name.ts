/** The name of a model in lower case, without what stands before it: `vendor/` of a router, `models/`, `ft:` of a tuned model, `openai.` of a cloud. */
export function bareName(name: string): string {
  return name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .replace(/^ft:/, '')
    .replace(/^openai\./, '');
}
