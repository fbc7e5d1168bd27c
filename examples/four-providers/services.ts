import type { ProviderConfig } from '@x/agent-sdk';
import { startFakeProvider } from 'fake-provider';
import { script } from './script.ts';

/** One way to ask one model: all that differs between the providers. */
export interface Service {
  readonly name: string;
  readonly provider: ProviderConfig;
  readonly model: string;
}
export interface Services {
  readonly list: readonly Service[];
  /** What the stand-in was asked so far; nothing is known of the real services. */
  paths(): readonly string[];
  stop(): Promise<void>;
}

/** With `REAL_SERVICES=1` the real services for which there is a key, else a stand-in for all of them. */
export async function startServices(): Promise<Services> {
  const { env } = process;
  if (env['REAL_SERVICES'] === '1') {
    const list = realServices(env);
    if (list.length === 0) throw new Error('REAL_SERVICES=1 needs one of the keys that the README names.');
    console.log('Talking to the real services.\n');
    return { list, paths: () => [], stop: async () => undefined };
  }
  console.log('Without REAL_SERVICES=1 a scripted provider answers, over real HTTP.\n');
  const { url, origin, paths, stop } = await startFakeProvider(script);
  const apiKey = 'no-key-needed';
  const list: Service[] = [
    { name: 'chat', provider: { type: 'openai-compatible', apiKey, baseUrl: url }, model: 'gpt-4o-mini' },
    {
      name: 'responses',
      provider: { type: 'openai-compatible', api: 'responses', apiKey, baseUrl: url },
      model: 'gpt-5-mini',
    },
    { name: 'anthropic', provider: { type: 'anthropic', apiKey, baseUrl: origin }, model: 'claude-haiku-4-5' },
    { name: 'gemini', provider: { type: 'gemini', apiKey, baseUrl: origin }, model: 'gemini-2.5-flash' },
    { name: 'azure', provider: { type: 'azure-openai', apiKey, baseUrl: origin }, model: 'my-deployment' },
  ];
  return { list, paths, stop };
}

/** The keys are left to the providers, which read their variables themselves. */
function realServices(env: NodeJS.ProcessEnv): Service[] {
  const list: Service[] = [];
  if (env['OPENAI_API_KEY']) {
    const model = env['OPENAI_MODEL'] ?? 'gpt-5-mini';
    list.push({ name: 'chat', provider: { type: 'openai-compatible' }, model });
    list.push({ name: 'responses', provider: { type: 'openai-compatible', api: 'responses' }, model });
  }
  if (env['ANTHROPIC_API_KEY']) {
    const model = env['ANTHROPIC_MODEL'] ?? 'claude-haiku-4-5';
    list.push({ name: 'anthropic', provider: { type: 'anthropic' }, model });
  }
  if (env['GEMINI_API_KEY']) {
    list.push({ name: 'gemini', provider: { type: 'gemini' }, model: env['GEMINI_MODEL'] ?? 'gemini-2.5-flash' });
  }
  const { AZURE_OPENAI_ENDPOINT: baseUrl, AZURE_OPENAI_DEPLOYMENT: deployment } = env;
  if (env['AZURE_OPENAI_API_KEY'] && baseUrl && deployment) {
    list.push({ name: 'azure', provider: { type: 'azure-openai', baseUrl }, model: deployment });
  }
  return list;
}
