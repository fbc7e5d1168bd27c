// @peer strands
// @deps {"@strands-agents/sdk":"1.19.0","openai":"6.49.0","zod":"4.6.7"}
// @floor raw-fetch-responses
// Strands over the Responses API.
import { strandsDriver } from './parts/strands-session.mjs';

export const createSession = strandsDriver('responses');
