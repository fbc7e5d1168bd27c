export { anthropicSchema } from './anthropic-schema.ts';
export { geminiSchema } from './gemini-schema.ts';
export { openaiSchema } from './openai-schema.ts';
