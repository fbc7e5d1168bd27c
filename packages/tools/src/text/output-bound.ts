/** How many characters a built-in tool answers with, notes included. */
export const MAX_OUTPUT_CHARACTERS = 30_000;
