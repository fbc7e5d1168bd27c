// @workspace @x/agent-sdk
// Ours over OpenAI Chat Completions, sessions kept in memory.
import { memoryStore } from '@x/agent-sdk';
import { xDriver } from './parts/x-session.mjs';

export const createSession = xDriver('chat', () => memoryStore());
