/** As an installed user would. */
export async function openOurs(path) {
  const { sqliteStore } = await import('@x/agent-sdk');
  return sqliteStore({ path });
}

/** A provider whose model says one word: what a session needs to run without a service. */
export const ONE_WORD = {
  type: 'custom',
  createModel: (name) => ({
    provider: 'none',
    name,
    contextWindow: 100_000_000,
    // biome-ignore lint/correctness/useYield: a model that has nothing to show before its answer
    async *stream() {
      const facts = { id: crypto.randomUUID(), createdAt: new Date().toISOString(), provider: 'none', model: name };
      const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
      return { ...facts, role: 'assistant', content: [{ type: 'text', text: 'Yes.' }], usage, stopReason: 'end' };
    },
  }),
};
