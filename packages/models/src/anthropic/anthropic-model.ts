import { type Model, ValidationError } from '@x/core';
import type { AnthropicConfig } from '../provider-config.ts';

export function anthropicModel(_config: AnthropicConfig, _name: string): Model {
  throw new ValidationError('This provider is not available yet', 'provider.type');
}
