// @workspace @x/agent-sdk
// @floor raw-fetch-responses
// Ours over OpenAI Responses, sessions kept in memory.
import { memoryStore } from '@x/agent-sdk';
import { xDriver } from './parts/x-session.mjs';

export const createSession = xDriver('responses', () => memoryStore());
