const PAGE_BITS = 12;
const IN_A_PAGE = 1 << PAGE_BITS;

/** Whole numbers by index, 0 at first, in pages: to have more of them copies none. */
export class PagedNumbers {
  readonly #pages: Int32Array[] = [];

  get(index: number): number {
    return this.#pages[index >>> PAGE_BITS]?.[index & (IN_A_PAGE - 1)] ?? 0;
  }

  set(index: number, value: number): void {
    while (this.#pages.length <= index >>> PAGE_BITS) this.#pages.push(new Int32Array(IN_A_PAGE));
    this.#pages[index >>> PAGE_BITS]![index & (IN_A_PAGE - 1)] = value; // just made
  }
}
