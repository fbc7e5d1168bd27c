/** A parsed answer of `canUseTool`. */
export type ReadAnswer =
  | { readonly behavior: 'allow'; readonly updatedInput?: unknown; readonly remember?: readonly string[] }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: true }
  | { readonly behavior: 'ask' }
  | { readonly behavior: 'wait' };

const KEYS: readonly string[] = ['behavior', 'updatedInput', 'remember', 'message'];
const KEYS_OF_DENIAL: readonly unknown[] = ['behavior', 'message', 'interrupt'];

/**
 * Accepts only a plain object with own properties that are values: getters are not called, a proxy or an instance of a class refuses, and
 * so does `allow` with an unknown key. An allowed input is a copy. Never throws.
 */
export function readAnswer(answer: unknown, who = 'canUseTool'): ReadAnswer {
  try {
    return understood(answer, who);
  } catch {
    return refuseAnswer('an answer that cannot be read', who);
  }
}

function understood(answer: unknown, who: string): ReadAnswer {
  if (typeof answer !== 'object' || answer === null || !isPlain(answer))
    return refuseAnswer('no answer that it understands', who);
  const behavior = ownValue(answer, 'behavior');
  if (behavior === 'ask' || behavior === 'wait') return { behavior };
  if (behavior === 'deny') return denial(answer, who);
  if (behavior !== 'allow') return refuseAnswer("neither behavior 'allow' nor 'deny', 'ask' or 'wait'", who);
  const odd = Reflect.ownKeys(answer).find((key) => typeof key === 'symbol' || !KEYS.includes(key));
  if (odd !== undefined) return refuseAnswer(`${String(odd)} next to behavior 'allow', which means nothing`, who);
  for (const key of ['updatedInput', 'remember']) ownValue(answer, key);
  const { updatedInput, remember } = structuredClone(answer) as { updatedInput?: unknown; remember?: unknown }; // a proxy cannot be cloned
  if (remember !== undefined && !isTexts(remember)) return refuseAnswer('remember without a list of rules', who);
  return { behavior, ...(updatedInput === undefined ? {} : { updatedInput }), ...(remember ? { remember } : {}) };
}

/** A denial holds whatever stands beside it; what means nothing there is named, so that nobody relies on it. */
function denial(answer: object, who: string): ReadAnswer {
  const [message, interrupt] = [ownValue(answer, 'message'), ownValue(answer, 'interrupt')];
  const text = typeof message === 'string' && message !== '' ? message : `${who} denies it`;
  const isOdd = interrupt !== undefined && typeof interrupt !== 'boolean';
  const odd = isOdd ? 'interrupt' : Reflect.ownKeys(answer).find((key) => !KEYS_OF_DENIAL.includes(key));
  const ignored =
    odd === undefined ? '' : ` (${who} gave ${String(odd)}${isOdd ? ' that is no boolean' : ''}, which means nothing)`;
  return { behavior: 'deny', message: `${text}${ignored}`, ...(interrupt === true ? { interrupt } : {}) };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/** True for a plain object of this realm or another one. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** @throws TypeError for a getter */
function ownValue(object: object, key: string): unknown {
  const property = Object.getOwnPropertyDescriptor(object, key);
  if (property && !Object.hasOwn(property, 'value')) throw new TypeError(`${key} is a getter`);
  return property?.value;
}

function refuseAnswer(what: string, who: string): ReadAnswer {
  return { behavior: 'deny', message: `${who} gave ${what}` };
}
