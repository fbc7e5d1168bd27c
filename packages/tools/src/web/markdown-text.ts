const HIDDEN = new Set('script style template svg math iframe object audio video canvas noframes'.split(' '));
/** Blank lines stand around these. */
const APART = new Set('p table ul ol dl blockquote pre figure title hr h1 h2 h3 h4 h5 h6'.split(' '));
/** These begin a line. */
const BLOCKS = new Set(
  'address article aside br dd details div dt figcaption footer form header li main nav section summary tr'.split(' '),
);
/** Deeper lists and quotes are not indented further: a page could be all indentation. */
const DEEPEST = 8;

/** Writes Markdown from the tags and texts of a page, in order; tags need not match. */
export class MarkdownText {
  readonly #base: URL;
  readonly #pieces: string[] = [];
  /** Line ends before the next text. */
  #breaks = 0;
  #hasSpace = false;
  #hidden = { tag: '', depth: 0 };
  readonly #lists: { items: number | undefined }[] = [];
  #quotes = 0;
  #isCode = false;
  #link: { readonly url: string; isOpen: boolean } | undefined;
  #table = { rows: 0, cells: 0, isInCell: false };

  constructor(base: URL) {
    this.#base = base;
  }

  toString(): string {
    return this.#pieces.join('');
  }

  write(text: string): void {
    if (this.#hidden.depth > 0) return;
    if (this.#isCode && !this.#table.isInCell) {
      this.#put(text.replaceAll('\n', `\n${this.#indent()}`));
      return;
    }
    const words = text.replaceAll(/[ \t\n\f\r]+/g, ' ');
    if (words.startsWith(' ')) this.#hasSpace = true;
    if (words.trim() !== '') {
      this.#openLink();
      this.#put(words.trim());
      this.#hasSpace = words.endsWith(' ');
    }
  }

  open(tag: string, attribute: (name: string) => string): void {
    if (this.#hidden.depth > 0 || HIDDEN.has(tag)) {
      if (this.#hidden.depth === 0) this.#hidden = { tag, depth: 1 };
      else if (tag === this.#hidden.tag) this.#hidden.depth++;
      return;
    }
    this.#separate(tag);
    if (/^h[1-6]$/.test(tag)) this.#mark(`${'#'.repeat(Number(tag[1]))} `);
    else if (tag === 'hr') this.#mark('---\n\n');
    else if (tag === 'ul' || tag === 'ol') this.#lists.push({ items: tag === 'ol' ? 0 : undefined });
    else if (tag === 'li') this.#mark(this.#bullet());
    else if (tag === 'blockquote') this.#quotes++;
    else if (tag === 'code') this.#tick();
    else if (tag === 'pre') this.#beginCode();
    else if (tag === 'a') this.#beginLink(attribute('href'));
    else if (tag === 'img' && attribute('alt').trim() !== '')
      this.write(`![${attribute('alt')}](${this.#resolved(attribute('src'))})`);
    else if (tag === 'table') this.#table = { rows: 0, cells: 0, isInCell: false };
    else if (tag === 'td' || tag === 'th') this.#beginCell();
  }

  close(tag: string): void {
    if (this.#hidden.depth > 0) {
      if (tag === this.#hidden.tag) this.#hidden.depth--;
      return;
    }
    if (tag === 'a') this.#endLink();
    else if (tag === 'pre') this.#endCode();
    else if (tag === 'code' && !this.#isCode) this.#pieces.push('`');
    else if (tag === 'ul' || tag === 'ol') this.#lists.pop();
    else if (tag === 'blockquote') this.#quotes = Math.max(0, this.#quotes - 1);
    if (tag !== 'br') this.#separate(tag);
  }

  /** Line ends around a block; between the cells of a table a space. */
  #separate(tag: string): void {
    if (tag === 'tr' || tag === 'table') this.#endRow();
    const isApart = APART.has(tag) && !((tag === 'ul' || tag === 'ol') && this.#lists.length > 0);
    if (!isApart && !BLOCKS.has(tag) && tag !== 'ul' && tag !== 'ol') return;
    if (this.#table.isInCell) this.#hasSpace = true;
    else this.#breaks = Math.max(this.#breaks, isApart ? 2 : 1);
  }

  /** Adds text that is not the page's: links do not begin before it, and no space follows. */
  #mark(mark: string): void {
    if (this.#table.isInCell) return;
    this.#put(mark);
    this.#hasSpace = false;
  }

  #put(text: string): void {
    const last = this.#pieces.at(-1);
    if (last === undefined) this.#pieces.push(this.#indent());
    else if (this.#breaks > 0) this.#pieces.push('\n'.repeat(this.#breaks), this.#indent());
    else if (this.#hasSpace && !/\s$/.test(last)) this.#pieces.push(' ');
    this.#breaks = 0;
    this.#hasSpace = false;
    this.#pieces.push(text);
  }

  #indent(): string {
    const lists = Math.min(DEEPEST, this.#lists.length);
    return '> '.repeat(Math.min(DEEPEST, this.#quotes)) + '  '.repeat(Math.max(0, lists - 1));
  }

  #bullet(): string {
    const list = this.#lists.at(-1);
    if (list?.items === undefined) return '- ';
    list.items++;
    return `${list.items}. `;
  }

  #tick(): void {
    if (this.#isCode) return;
    this.#openLink();
    this.#put('`');
  }

  #beginCode(): void {
    this.#mark(`\`\`\`\n${this.#indent()}`);
    this.#isCode = true;
  }

  #endCode(): void {
    if (!this.#isCode) return;
    this.#isCode = false;
    this.#breaks = /\n\s*$/.test(this.#pieces.at(-1) ?? '') ? 0 : 1;
    this.#mark('```');
  }

  #beginLink(href: string): void {
    this.#endLink();
    const url = this.#resolved(href);
    if (url !== '') this.#link = { url, isOpen: false };
  }

  #openLink(): void {
    if (!this.#link || this.#link.isOpen) return;
    this.#put('[');
    this.#link.isOpen = true;
  }

  #endLink(): void {
    if (this.#link?.isOpen) this.#pieces.push(`](${this.#link.url})`);
    this.#link = undefined;
  }

  /** The resolved address; empty for one that is neither of the web nor of mail. */
  #resolved(href: string): string {
    if (href.trim() === '' || href.startsWith('#') || !URL.canParse(href, this.#base.href)) return '';
    const url = new URL(href, this.#base);
    return /^(https?|mailto):$/.test(url.protocol) ? url.href : '';
  }

  #beginCell(): void {
    this.#endLink();
    this.#table.isInCell = false;
    this.#hasSpace = false;
    this.#put(this.#table.cells === 0 ? '| ' : ' | ');
    this.#table.isInCell = true;
    this.#table.cells++;
  }

  #endRow(): void {
    const { rows, cells } = this.#table;
    if (cells === 0) return;
    this.#endLink();
    this.#pieces.push(' |');
    if (rows === 0) this.#pieces.push(`\n${this.#indent()}|${' --- |'.repeat(cells)}`);
    this.#table = { rows: rows + 1, cells: 0, isInCell: false };
    this.#breaks = 1;
  }
}
