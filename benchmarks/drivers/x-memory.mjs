// @workspace @x/agent-sdk
// Ours, sessions kept in memory.
import { memoryStore } from '@x/agent-sdk';
import { xDriver } from './parts/x-session.mjs';

export const createSession = xDriver(() => memoryStore());
