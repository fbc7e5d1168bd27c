import { AuthorizationError } from '@x/core';
import { isBelow, type PathForms } from './path-forms.ts';

/** The place that a path of the call was judged to lead to. */
export interface JudgedPlace {
  readonly place: string;
  /** The place of the name itself; absent for a path below a judged one. */
  readonly own?: string;
  /** True for a path below a judged one: it may lead anywhere below that place. */
  readonly isInside: boolean;
}

/**
 * The judged place of a path: of one that was judged, of one below it, or of a directory around it if no link was in it. Undefined when the
 * judgement said nothing of it.
 */
export function judgedPlace(spelled: string, judged: readonly PathForms[]): JudgedPlace | undefined {
  const exact = judged.find((one) => one.spelled === spelled);
  if (exact) return { place: exact.resolved, own: ownOf(exact), isInside: false };
  const isPlain = ({ spelled: path, resolved }: PathForms) => path === resolved;
  const isItself = judged.some((one) => one.resolved === spelled || (isPlain(one) && isBelow(one.spelled, spelled)));
  if (isItself) return { place: spelled, own: spelled, isInside: false };
  const around = judged
    .flatMap(({ spelled: path, resolved }) => [
      { path, resolved },
      { path: resolved, resolved },
    ])
    .filter(({ path }) => isBelow(spelled, path))
    .sort((one, other) => other.path.length - one.path.length)[0];
  if (!around) return undefined;
  return { place: around.resolved, isInside: true };
}

/** The place of the name itself: links around it are resolved, its own is not. */
export function ownOf({ own, spelled }: PathForms): string {
  return own ?? spelled;
}

/** Refuses a path that leads elsewhere than to where it was judged. @throws AuthorizationError */
export function refuseMoved(path: string, now: string, { place, isInside }: JudgedPlace): void {
  if (isInside ? isBelow(now, place) : now === place) return;
  throw new AuthorizationError(
    isInside
      ? `${path} leads to ${now}, and what is in ${place} was allowed; ask again, for the place it leads to`
      : `${path} leads to ${now}, and was allowed when it led to ${place}; ask again`,
  );
}
