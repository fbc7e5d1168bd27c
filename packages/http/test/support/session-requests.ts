/** A request to each route of one session, with a body that fits. */
export const routesOfOne: [method: string, path: string, body?: object][] = [
  ['GET', ''],
  ['DELETE', ''],
  ['GET', '/messages'],
  ['POST', '/messages', { text: 'Hello.' }],
  ['GET', '/events'],
  ['GET', '/usage'],
  ['POST', '/abort'],
  ['POST', '/close'],
  ['POST', '/fork', {}],
  ['POST', '/rewind', { messageId: 'm' }],
  ['GET', '/questions'],
  ['POST', '/answers', { callId: 'c', answer: { behavior: 'allow' } }],
  ['POST', '/ui', { messages: [{ role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }] }],
  ['GET', '/ui'],
  ['POST', '/ag-ui', { messages: [{ role: 'user', content: 'Hello.' }] }],
  ['GET', '/ag-ui'],
];
