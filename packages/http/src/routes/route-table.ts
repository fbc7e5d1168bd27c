import { basePath } from 'hono/route';
import type { HttpContext } from '../answers/http-env.ts';
import type { ServedRoute } from './route.ts';

/** The methods of a request's path, as `Allow` has them; empty for a path that no route has. */
export function methodsOf(context: HttpContext, routes: readonly ServedRoute[]): string {
  const path = pathOf(context);
  const own = routes.filter((route) => new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`).test(path));
  return [...new Set(own.flatMap(methodsOfRoute))].join(', ');
}

/** Says of a request if a route answers it without a token. An open route has no parameter in its path. */
export function isOpenIn(routes: readonly ServedRoute[]): (context: HttpContext) => boolean {
  const open = routes
    .filter(({ isOpen }) => isOpen)
    .flatMap((route) => methodsOfRoute(route).map((method) => `${method} ${route.path}`));
  const known = new Set(open);
  return (context) => known.has(`${context.req.method} ${pathOf(context)}`);
}

function methodsOfRoute({ method }: ServedRoute): readonly string[] {
  return method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
}

/** The path below which the app is mounted, as addresses in answers begin; empty where it is not. */
export function baseOf(context: HttpContext): string {
  return basePath(context).replace(/[/*]+$/, '');
}

/** The path of a request, wherever the app is mounted. */
function pathOf(context: HttpContext): string {
  return context.req.path.slice(baseOf(context).length) || '/';
}
