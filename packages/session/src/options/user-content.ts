/** Where the bytes of a part are; one of them. */
export type ContentSource =
  /** Bytes, or base64. */
  | { readonly data: Uint8Array | string; readonly path?: undefined; readonly url?: undefined }
  /** A file of this machine, read when the message is sent. A relative one begins at the directory of the process. */
  | { readonly path: string; readonly data?: undefined; readonly url?: undefined }
  /** An http(s) address, which the service of the model fetches; nothing is fetched here. */
  | { readonly url: string; readonly data?: undefined; readonly path?: undefined };

/**
 * A part of a message that is sent. `mediaType` is found in the first bytes, or in the ending of an address, when it is not given; one that
 * the bytes contradict is refused. At most 100 parts, 20 MiB each and 32 MiB together.
 */
export type UserContent =
  | { readonly type: 'text'; readonly text: string }
  | ({ readonly type: 'image'; readonly mediaType?: string } & ContentSource)
  /** A PDF, a text or a sound. `name`: by default that of `path`. */
  | ({ readonly type: 'file'; readonly mediaType?: string; readonly name?: string } & ContentSource);
