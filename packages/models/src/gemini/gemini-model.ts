import { type Model, ValidationError } from '@x/core';
import type { GeminiConfig } from '../provider-config.ts';

export function geminiModel(_config: GeminiConfig, _name: string): Model {
  throw new ValidationError('This provider is not available yet', 'provider.type');
}
