/** The address of Anthropic itself. */
export const ANTHROPIC_URL = 'https://api.anthropic.com';
