/** Where Anthropic itself is asked. */
export const ANTHROPIC_URL = 'https://api.anthropic.com';
