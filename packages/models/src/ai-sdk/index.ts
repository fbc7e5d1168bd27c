export { type AiSdkSessionProvider, fromAiSdk } from './from-ai-sdk.ts';
export type { AiSdkModel, AiSdkProvider } from './specification.ts';
export type { FromAiSdkOptions } from './spoken-model.ts';
