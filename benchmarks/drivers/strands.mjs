// @peer strands
// @deps {"@strands-agents/sdk":"1.19.0","openai":"6.49.0","zod":"4.6.7"}
// @known {"check":"runs only the last of the calls of one turn","parallel":"runs only the last of the calls of one turn"}
// Strands over Chat Completions. Its adapter opens a block per call and closes them all at the end, and its aggregator
// keeps one call at a time; strands-responses has not got that fault.
import { strandsDriver } from './parts/strands-session.mjs';

export const createSession = strandsDriver('chat');
