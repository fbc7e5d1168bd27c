/** Maximum number of characters in a built-in tool's answer, notes included. */
export const MAX_OUTPUT_CHARACTERS = 30_000;
