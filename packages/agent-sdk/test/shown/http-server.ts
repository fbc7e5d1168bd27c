/** What `examples/http-server` shows. */
export const httpServer: readonly string[] = [
  'list: 200 count-stock, wait-for-delivery',
  'search: 200 count-stock',
  'call: 200 7',
  'the old path: 200 2',
  'a wrong parameter: 400 VALIDATION_ERROR: Invalid type for parameter item: expected string',
  'a disabled tool: 403 TOOL_DISABLED: Tool is disabled: clear-stock',
  'an unknown tool: 404 TOOL_NOT_FOUND: Tool not found: sell-everything',
  '10 ms are too few: 408 TIMEOUT: ',
  'no token: 401 AUTHENTICATION_ERROR: A valid bearer token is required',
  'a page of another site: 403 AUTHORIZATION_ERROR: ',
  'another type: 415 UNSUPPORTED_MEDIA_TYPE: ',
  'the document: 200 / /tools /tools/call /v1/tools /v1/tools/{name}',
  'closed',
];
