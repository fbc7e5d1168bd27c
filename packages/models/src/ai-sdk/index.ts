export type { FromAiSdkOptions } from './ai-sdk-model.ts';
export { type AiSdkSessionProvider, fromAiSdk } from './from-ai-sdk.ts';
export type { AiSdkModel, AiSdkProvider } from './specification.ts';
