import type { Access } from '../wire/access.ts';
import type { BuiltRequest } from '../wire/endpoint.ts';
import type { VertexPlace } from './vertex-options.ts';

const MULTI_REGIONS = new Set(['us', 'eu']);

/**
 * The request for a streamed reply of a publisher's model, as the official clients build it (cloud.google.com, "Vertex AI locations";
 * `@anthropic-ai/vertex-sdk`, `@google/genai`, which the tests compare it with).
 */
export function vertexRequest(
  { project, location, baseUrl }: Omit<VertexPlace, 'accessToken'>,
  { publisher, model, method }: { readonly publisher: string; readonly model: string; readonly method: string },
  { apiKey, headers }: Access,
): BuiltRequest {
  const host = (baseUrl ?? hostOf(location)).replace(/\/+$/, '');
  const version = publisher === 'google' ? 'v1beta1' : 'v1';
  const path = `projects/${project}/locations/${location}/publishers/${publisher}/models/${model}:${method}`;
  return {
    url: `${host}/${version}/${path}`,
    headers: { 'content-type': 'application/json', ...headers, authorization: `Bearer ${apiKey}` },
  };
}

function hostOf(location: string): string {
  if (location === 'global') return 'https://aiplatform.googleapis.com';
  if (MULTI_REGIONS.has(location)) return `https://aiplatform.${location}.rep.googleapis.com`;
  return `https://${location}-aiplatform.googleapis.com`;
}
