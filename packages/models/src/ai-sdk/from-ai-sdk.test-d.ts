import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV4,
  ProviderV2,
  ProviderV3,
  ProviderV4,
} from '@ai-sdk/provider';
import { describe, expectTypeOf, it } from 'vitest';
import type { AiSdkModel, AiSdkProvider } from './specification.ts';

describe('fromAiSdk', () => {
  it('takes language models of the three versions', () => {
    expectTypeOf<LanguageModelV2>().toExtend<AiSdkModel>();
    expectTypeOf<LanguageModelV3>().toExtend<AiSdkModel>();
    expectTypeOf<LanguageModelV4>().toExtend<AiSdkModel>();
    expectTypeOf<{ readonly modelId: string }>().not.toExtend<AiSdkModel>();
  });

  it('takes providers of the three versions', () => {
    expectTypeOf<ProviderV2>().toExtend<AiSdkProvider>();
    expectTypeOf<ProviderV3>().toExtend<AiSdkProvider>();
    expectTypeOf<ProviderV4>().toExtend<AiSdkProvider>();
  });
});
