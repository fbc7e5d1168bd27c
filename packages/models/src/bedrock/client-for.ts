import type * as Runtime from '@aws-sdk/client-bedrock-runtime';
import { ModelError } from '../wire/model-error.ts';
import { BEDROCK, type BedrockClient } from './bedrock-options.ts';

/** The official package. */
export type Sdk = typeof Runtime;
/** A client, and the package that its commands are of. */
export interface OpenClient {
  readonly sdk: Sdk;
  readonly client: BedrockClient;
}

/** Loads the package with the first call, and makes one client for all models unless the host has given its own. */
export function clientFor(given: BedrockClient | undefined, region: string | undefined): () => Promise<OpenClient> {
  let open: Promise<OpenClient> | undefined;
  return () => (open ??= opened(given, region));
}

async function opened(given: BedrockClient | undefined, region: string | undefined): Promise<OpenClient> {
  const sdk = await import('@aws-sdk/client-bedrock-runtime').catch(() => {
    const message = 'bedrock needs @aws-sdk/client-bedrock-runtime; install it with npm';
    throw new ModelError(message, { provider: BEDROCK, retryable: false });
  });
  // one attempt: whoever retries above counts them, and tells of them
  const client = given ?? new sdk.BedrockRuntimeClient({ maxAttempts: 1, ...(region === undefined ? {} : { region }) });
  return { sdk, client };
}
