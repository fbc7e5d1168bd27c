/** For the packages of the SDK alone. */
export { cleanText } from './definitions/clean-text.ts';
export { toolNameOf } from './definitions/tool-name.ts';
export type { SessionHub } from './hub/hub-interface.ts';
export { joined } from './hub/joined-lists.ts';
export { checkServers } from './port/check-servers.ts';
export { HOST_HANDLERS, LOG_LEVEL } from './port/host-rules.ts';
export { sessionHub } from './session-hub.ts';
export { resultOfCall } from './tools/result-of-call.ts';
