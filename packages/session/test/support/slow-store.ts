import { memoryStore, type SessionStore } from '../../src/index.ts';

/** A store whose disk takes its time. */
export function slow(): SessionStore {
  const inner = memoryStore();
  const append: SessionStore['append'] = async (...given) => {
    for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
    return await inner.append(...given);
  };
  return { ...inner, append };
}
