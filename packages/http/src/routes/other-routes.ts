import { answer, answerJson } from '../answers/answer.ts';
import type { Settings } from '../settings/http-options.ts';
import type { Route } from './route.ts';
import { baseOf } from './route-table.ts';
import { oneOfOurs } from './schemas.ts';

/** The one route that says that the server runs, to everybody. */
export function healthRoute({ version }: Settings): Route {
  const start = performance.now();
  return {
    method: 'get',
    path: '/',
    operationId: 'getHealth',
    summary: 'Says that the server runs',
    isOpen: true,
    answers: { 200: { description: 'It runs', schema: oneOfOurs('Health') } },
    handle: ({ context }) =>
      answerJson(context, {
        status: 'ok',
        message: 'MCP Server is running',
        version,
        uptime: (performance.now() - start) / 1_000,
        timestamp: new Date().toISOString(),
      }),
  };
}

/** The paths without a version, which the first clients know. */
export const redirectRoutes: readonly Route[] = [
  {
    method: 'get',
    path: '/tools',
    operationId: 'redirectToTools',
    summary: 'Leads to the list of tools, with the query',
    answers: { 302: { description: 'It is elsewhere', headers: { Location: 'The list' } } },
    handle: ({ context }) =>
      answer(context, null, 302, { Location: `${baseOf(context)}/v1/tools${new URL(context.req.url).search}` }),
  },
  {
    method: 'post',
    path: '/tools/call',
    operationId: 'redirectToCall',
    summary: 'Leads to the call of a tool, with the body',
    answers: { 307: { description: 'It is elsewhere', headers: { Location: 'The call' } } },
    handle: ({ context }) => answer(context, null, 307, { Location: `${baseOf(context)}/v1/tools/call` }),
  },
];
