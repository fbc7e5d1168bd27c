import { type Model, ValidationError } from '@x/core';
import type { AzureOpenAIConfig } from '../provider-config.ts';

export function azureModel(_config: AzureOpenAIConfig, _name: string): Model {
  throw new ValidationError('This provider is not available yet', 'provider.type');
}
