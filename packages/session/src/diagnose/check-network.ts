import type { Finding } from './diagnosis.ts';

const PROXIES = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
/** The global key under which Node keeps the dispatcher of `fetch`. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/** Checks that requests use the proxy that the environment names. Reports names of variables, never their values. */
export function checkNetwork(
  env: NodeJS.ProcessEnv = process.env,
  dispatcher: string | undefined = nameOfDispatcher(),
): Finding {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    const detail = 'certificates are not checked (NODE_TLS_REJECT_UNAUTHORIZED is 0)';
    return { status: 'warning', detail, hint: 'Name the certificate of your network in NODE_EXTRA_CA_CERTS instead' };
  }
  const proxies = PROXIES.filter((name) => (env[name] ?? '') !== '');
  if (proxies.length === 0) return { status: 'ok', detail: 'no proxy is named in the environment' };
  const named = `a proxy is named in ${proxies.join(', ')}`;
  if (dispatcher !== undefined && dispatcher !== 'Agent')
    return { status: 'ok', detail: `${named}, and fetch uses one` };
  const hint = 'Start Node (22.21 or later) with NODE_USE_ENV_PROXY=1, or call setGlobalDispatcher of undici';
  return { status: 'warning', detail: `${named}, but fetch does not use it`, hint };
}

/** The class name of the dispatcher of `fetch`; Node sets it when a class of fetch is first touched. */
function nameOfDispatcher(): string | undefined {
  if (typeof globalThis.Headers !== 'function') return undefined;
  const shared = (globalThis as { readonly [DISPATCHER]?: object })[DISPATCHER];
  return shared?.constructor.name;
}
