/** For the packages of the SDK alone. */
export { cleanText } from './definitions/clean-text.ts';
export { toolNameOf } from './definitions/tool-name.ts';
export { checkServers } from './port/check-servers.ts';
export { HOST_HANDLERS, LOG_LEVEL } from './port/host-rules.ts';
export { resultOfCall } from './tools/result-of-call.ts';
