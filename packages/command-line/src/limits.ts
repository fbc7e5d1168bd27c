/** Maximum length of a line that is read, in bytes of UTF-8. A longer one counts as running everything. */
export const maxCommandLineBytes = 200_000;
