import { type KeyVariable, keyVariables } from '@x/models/internal';
import type { Finding } from './diagnosis.ts';

/** Lists the providers whose key is set; never a key itself. */
export function checkProviders(variables: readonly KeyVariable[] = keyVariables()): Finding {
  const told = (state: KeyVariable['state']) => variables.filter((variable) => variable.state === state);
  const set = told('set').map(({ provider, variable }) => `${provider} (${variable})`);
  const odd = told('unusable').map(({ variable }) => variable);
  const detail = set.length === 0 ? 'no key of a provider is set' : `keys are set for ${set.join(', ')}`;
  if (odd.length > 0) {
    const hint = 'No key has such characters; look for quotes, spaces and line breaks in it';
    return { status: 'warning', detail: `${detail}; that in ${odd.join(', ')} cannot be one`, hint };
  }
  if (set.length > 0) return { status: 'ok', detail };
  const names = variables.map(({ variable }) => variable).join(', ');
  return { status: 'warning', detail, hint: `Set one of ${names}, or give provider.apiKey` };
}
