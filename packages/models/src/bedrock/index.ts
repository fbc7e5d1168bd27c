export { type BedrockProvider, bedrock } from './bedrock.ts';
export type { BedrockClient, BedrockOptions } from './bedrock-options.ts';
