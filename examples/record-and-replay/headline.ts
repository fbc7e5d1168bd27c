import { memoryStore, type ProviderConfig, prompt } from '@x/agent-sdk';

/** What is to be tested: a headline for a text. */
export async function headlineFor(text: string, provider: ProviderConfig, model: string): Promise<string> {
  const systemPrompt = 'Answer with a headline for the text, of five words at most.';
  const { result } = await prompt(text, { provider, model, systemPrompt, store: memoryStore(), allowedTools: [] });
  return result.trim();
}
