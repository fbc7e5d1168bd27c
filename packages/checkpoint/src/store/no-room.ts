/** A content has no room; the look is begun again. */
export class NoRoom extends Error {
  readonly bytes: number;

  constructor(bytes: number) {
    super('There is no room for a content');
    this.bytes = bytes;
  }
}
