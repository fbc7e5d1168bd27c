import { AgentError } from '@x/core';
import { Hono, type MiddlewareHandler } from 'hono';
import { type AnswerError, errorAnswers } from './answers/error-answer.ts';
import type { HttpEnv } from './answers/http-env.ts';
import { requestDuration } from './answers/request-duration.ts';
import { mcpRoute } from './mcp/mcp-route.ts';
import { pageRoutes } from './pages/page-routes.ts';
import { openApiRoute } from './routes/openapi.ts';
import { healthRoute, redirectRoutes } from './routes/other-routes.ts';
import { readyRoute } from './routes/ready-route.ts';
import type { ServedRoute } from './routes/route.ts';
import { isOpenIn, methodsOf } from './routes/route-table.ts';
import { runRoute } from './routes/run-route.ts';
import { toolRoutes } from './routes/tool-routes.ts';
import { type Guards, guards } from './security/guards.ts';
import type { RoutedHost } from './sessions/routed-host.ts';
import { type HttpOptions, type Settings, settingsOf } from './settings/http-options.ts';

/**
 * The tools of a registry as a hono app, for any server of Fetch requests: `app.fetch(request)`. It opens nothing.
 * @throws ValidationError naming the first option that is unknown or invalid
 */
export function createApp(options: HttpOptions = {}): Hono {
  return appUntil(options, new AbortController().signal);
}

/** The app; what it has open ends with `closing`. @throws ValidationError */
export function appUntil(options: HttpOptions, closing: AbortSignal): Hono {
  const settings = settingsOf(options);
  const answerError = errorAnswers(settings);
  const host = settings.sessions as RoutedHost | undefined; // safe: the rule of the option
  const sessions = host?.routes(settings);
  const ofTools = [...redirectRoutes, ...toolRoutes(settings, answerError)];
  const ready = readyRoute(closing, host && (() => host.check()));
  const described = [healthRoute(settings), ready, ...ofTools, ...(sessions?.routes ?? [])];
  const document = openApiRoute(described, settings, sessions?.document);
  const routes = [...described, document, ...pageRoutes(settings)];

  const app = new Hono<HttpEnv>();
  app.onError((error, context) => answerError(context, error));
  const { first, others } = guards(settings, isOpenIn(routes));
  app.use(watched(settings, answerError, first), ...others);
  if (settings.mcp) app.all('/mcp', mcpRoute(settings, settings.mcp === true ? {} : settings.mcp, closing));
  addRoutes(app, routes, answerError);
  return app as unknown as Hono; // safe: its variables are its own, and it needs no bindings
}

/** Gives every request its id, guards it, logs and measures it, and answers what hono does not catch: a thrown value that is no Error. */
function watched(
  { log, meter }: Settings,
  answerError: AnswerError,
  guard: Guards['first'],
): MiddlewareHandler<HttpEnv> {
  const record = meter && requestDuration(meter);
  return async (context, next) => {
    const start = performance.now();
    const given = context.req.header('x-request-id');
    context.set('requestId', given && /^[\w\-=]{1,255}$/.test(given) ? given : crypto.randomUUID());
    try {
      await guard(context);
      await next();
    } catch (thrown) {
      context.res = answerError(context, thrown);
    }
    record?.(context, performance.now() - start);
    if (!log.writesRequests) return;
    const { method, url } = context.req;
    const durationMs = Math.round(performance.now() - start);
    log.info(
      { method, url, status: context.res.status, durationMs, requestId: context.get('requestId') },
      'a request was answered',
    );
  };
}

/** Adds the routes, and an answer for everything else. */
function addRoutes(app: Hono<HttpEnv>, routes: readonly ServedRoute[], answerError: AnswerError): void {
  for (const route of routes) app[route.method](route.path, runRoute(route, answerError));
  app.all('*', (context) => {
    const allowed = methodsOf(context, routes);
    const isAllowed = allowed.split(', ').includes(context.req.method); // as for `/api/`, where the app is mounted at `/api`
    if (allowed === '' || isAllowed)
      return answerError(context, new AgentError('There is no such route', 'NOT_FOUND', 404));
    const refused = new AgentError(`This path answers ${allowed}`, 'METHOD_NOT_ALLOWED', 405);
    return answerError(context, refused, {}, { Allow: allowed });
  });
}
