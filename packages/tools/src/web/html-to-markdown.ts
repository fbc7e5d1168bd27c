import { MarkdownText } from './markdown-text.ts';

/** Characters that are parsed at a time; other work runs in between. */
const PIECE = 200_000;
/** The tokenizer's mode after a start tag (HTML 13.2.6.4). */
const MODES: Readonly<{ [tag: string]: 'RCDATA' | 'RAWTEXT' | 'SCRIPT_DATA' | 'PLAINTEXT' }> = {
  title: 'RCDATA',
  textarea: 'RCDATA',
  style: 'RAWTEXT',
  xmp: 'RAWTEXT',
  iframe: 'RAWTEXT',
  noembed: 'RAWTEXT',
  noframes: 'RAWTEXT',
  script: 'SCRIPT_DATA',
  plaintext: 'PLAINTEXT',
};

/** The text of a page with its headings, lists, tables, code and links, these resolved against `base`; in time proportional to its length. */
export async function htmlToMarkdown(html: string, base: URL): Promise<string> {
  const { Tokenizer, TokenizerMode } = await import('parse5');
  const text = new MarkdownText(base);
  const write = ({ chars }: { readonly chars: string }) => text.write(chars);
  const nothing = () => undefined;
  const tokenizer = new Tokenizer(
    {},
    {
      onStartTag({ tagName, attrs }) {
        const mode = Object.hasOwn(MODES, tagName) ? MODES[tagName] : undefined;
        if (mode) tokenizer.state = TokenizerMode[mode];
        text.open(tagName, (name) => attrs.find((one) => one.name === name)?.value ?? '');
      },
      onEndTag: ({ tagName }) => text.close(tagName),
      onCharacter: write,
      onWhitespaceCharacter: write,
      onNullCharacter: nothing,
      onComment: nothing,
      onDoctype: nothing,
      onEof: nothing,
    },
  );
  for (let at = 0; at < html.length; at += PIECE) {
    if (at > 0) await new Promise((resolve) => setTimeout(resolve));
    tokenizer.write(html.slice(at, at + PIECE), at + PIECE >= html.length);
  }
  return text.toString();
}
