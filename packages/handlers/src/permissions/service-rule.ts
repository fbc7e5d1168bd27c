import { SERVICE_TOOL_TYPES } from '@x/core/internal';

/** The name in rules about tools that the service of a model runs itself: `Service(web_search)`, or `Service` for all. */
export const SERVICE = 'Service';

const TYPES: readonly string[] = [...SERVICE_TOOL_TYPES, 'tool_search'];

/** The advice about a pattern that names no tool of a service; undefined for one that does. */
export function serviceFault(inner: string): string | undefined {
  if (TYPES.includes(inner)) return undefined;
  const known = TYPES.map((type) => `${SERVICE}(${type})`).join(', ');
  return `names no tool of a service; write ${known}, or ${SERVICE} for all of them`;
}
