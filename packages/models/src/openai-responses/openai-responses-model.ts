import { type Model, ValidationError } from '@x/core';
import type { OpenAICompatibleConfig } from '../provider-config.ts';

export function openaiResponsesModel(_config: OpenAICompatibleConfig, _name: string): Model {
  throw new ValidationError('This provider is not available yet', 'provider.type');
}
