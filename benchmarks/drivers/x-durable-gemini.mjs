// @workspace @x/agent-sdk
// @floor raw-fetch-gemini
// Ours over Gemini, with the durable store.
import { openDurableStore } from './parts/durable-store.mjs';
import { xDriver } from './parts/x-session.mjs';

export const createSession = xDriver('gemini', openDurableStore);
