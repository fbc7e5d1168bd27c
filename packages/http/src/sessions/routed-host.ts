import type { MoreOfDocument } from '../routes/openapi.ts';
import type { Route } from '../routes/route.ts';
import type { Settings } from '../settings/http-options.ts';
import type { SessionHost } from '../settings/session-host.ts';

/** Routes of sessions, and what the document says about them. */
export interface SessionRoutes {
  readonly routes: readonly Route[];
  readonly document: MoreOfDocument;
}

/** A host as the app knows it. */
export interface RoutedHost extends SessionHost {
  routes(settings: Settings): SessionRoutes;
  /** Rejects while the sessions cannot be served: the host is not started, or closed, or its store fails. */
  check(): Promise<void>;
}
