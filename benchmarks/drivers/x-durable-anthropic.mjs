// @workspace @x/agent-sdk
// @floor raw-fetch-anthropic
// Ours over Anthropic Messages, with the durable store.
import { openDurableStore } from './parts/durable-store.mjs';
import { xDriver } from './parts/x-session.mjs';

export const createSession = xDriver('anthropic', openDurableStore);
