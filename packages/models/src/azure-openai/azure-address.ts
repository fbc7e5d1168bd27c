/** The address of a resource. */
export interface AzureAddress {
  /** Everything before `/openai`, without a slash at its end. */
  readonly resource: string;
  /** The dated version in the query of `/openai/deployments/<name>`; without one, the versionless `/openai/v1` is used. */
  readonly version?: string;
  /** The `api-version` sent to `/openai/v1`, such as `preview`. */
  readonly surface?: string;
}

/** Versions of `/openai/v1` itself; deployments have dates only. */
const SURFACES = new Set(['v1', 'preview', 'latest']);

/**
 * Parses the address of a resource from any form in the portal: the resource, one of its paths, or the target of a deployment with its
 * `api-version`. A separate `apiVersion` wins.
 */
export function azureAddress(baseUrl: string, apiVersion?: string): AzureAddress {
  const url = new URL(baseUrl);
  const segments = url.pathname.split('/').filter((segment) => segment !== '');
  const deployments = segments.indexOf('deployments');
  const before = deployments < 0 ? segments : segments.slice(0, deployments);
  const openai = before.lastIndexOf('openai');
  const kept = openai < 0 ? before : before.slice(0, openai);
  const resource = [url.origin, ...kept].join('/');
  const version = apiVersion ?? url.searchParams.get('api-version') ?? '';
  if (version === '') return { resource };
  return SURFACES.has(version) ? { resource, surface: version } : { resource, version };
}
