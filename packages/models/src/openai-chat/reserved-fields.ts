/** What every request for a chat completion says itself. */
export const RESERVED_IN_CHAT: readonly string[] = ['model', 'messages', 'stream', 'tools', 'response_format'];
