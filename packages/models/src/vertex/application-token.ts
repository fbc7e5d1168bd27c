import { AuthenticationError } from '@x/core';
import type { GoogleAuth } from 'google-auth-library';
import type { Renewed } from '../wire/provider-config.ts';

const SCOPES = 'https://www.googleapis.com/auth/cloud-platform';

/** The application default credentials of the machine, found once and renewed by Google's own library, which need not look for `project`. */
export function applicationToken(project: string): Renewed<string> {
  let auth: Promise<GoogleAuth> | undefined;
  return async () => {
    auth ??= googleAuth(project);
    const found = await auth;
    const token = await found.getAccessToken();
    if (!token)
      throw new AuthenticationError('Google has given no access token for the application default credentials');
    return token;
  };
}

async function googleAuth(projectId: string): Promise<GoogleAuth> {
  const library = await import('google-auth-library').catch(() => {
    throw new AuthenticationError('vertex needs google-auth-library, or the option accessToken: install it with npm');
  });
  return new library.GoogleAuth({ scopes: SCOPES, projectId });
}
