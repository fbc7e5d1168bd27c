// @workspace @x/agent-sdk
// @floor raw-fetch-gemini
// Ours over Gemini, sessions kept in memory.
import { memoryStore } from '@x/agent-sdk';
import { xDriver } from './parts/x-session.mjs';

export const createSession = xDriver('gemini', () => memoryStore());
