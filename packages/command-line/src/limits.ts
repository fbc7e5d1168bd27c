/** The length of a line that is read, in bytes of UTF-8. A longer one is taken to run everything. */
export const maxCommandLineBytes = 200_000;
