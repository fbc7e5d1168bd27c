// @workspace @x/agent-sdk
// @floor raw-fetch-responses
// Ours over OpenAI Responses, with the durable store.
import { openDurableStore } from './parts/durable-store.mjs';
import { xDriver } from './parts/x-session.mjs';

export const createSession = xDriver('responses', openDurableStore);
