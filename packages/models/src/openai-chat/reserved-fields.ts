/** Fields that requests for a chat completion set themselves. */
export const RESERVED_IN_CHAT: readonly string[] = ['model', 'messages', 'stream', 'tools', 'response_format'];
