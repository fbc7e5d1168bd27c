// @workspace @x/agent-sdk
// @floor raw-fetch-anthropic
// Ours over Anthropic Messages, sessions kept in memory.
import { memoryStore } from '@x/agent-sdk';
import { xDriver } from './parts/x-session.mjs';

export const createSession = xDriver('anthropic', () => memoryStore());
