// @workspace @x/agent-sdk
// Ours over OpenAI Chat Completions, with the durable store.
import { openDurableStore } from './parts/durable-store.mjs';
import { xDriver } from './parts/x-session.mjs';

export const createSession = xDriver('chat', openDurableStore);
