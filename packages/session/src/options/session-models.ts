import type { Model } from '@x/core';
import type { ModelErrorCode } from '@x/core/internal';
import type { ProviderConfig } from '@x/models';

/** A model that the host implements, instead of one of the four services. */
export interface CustomProvider {
  readonly type: 'custom';
  /** Called when the session is created and at each `setModel`. */
  createModel(name: string): Model;
}

/** A model for when that of the session fails. */
export interface FallbackModel {
  /** Default: that of the session. */
  readonly provider?: ProviderConfig | CustomProvider;
  readonly model: string;
  /**
   * Codes of a `ModelError` after which it takes over, also of errors that never pass: `['CONTEXT_OVERFLOW']` for a larger window. Default:
   * every error that may pass, whatever its code.
   */
  readonly on?: readonly ModelErrorCode[];
}
