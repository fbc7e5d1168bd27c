import { ValidationError } from '@x/core';
import { checkSettings } from '@x/sandbox/internal';

/** @throws ValidationError naming the field that is unknown, invalid, or would not be in force */
export function checkSessionSandbox(settings: unknown, path: string): void {
  checkSettings(settings, path);
  const [first] = Object.keys(settings);
  if (settings.enabled === undefined && first !== undefined) {
    throw new ValidationError(
      `${path}.enabled must be said, true or false: without it ${path}.${first} is not in force`,
      `${path}.enabled`,
    );
  }
  const { limits = {}, autoAllowBashIfSandboxed, driver } = settings;
  for (const name of ['timeoutMs', 'outputBytes'] as const) {
    if (limits[name] === undefined) continue;
    throw new ValidationError(
      `${path}.limits.${name} is for createSandbox: in a session the limit of the tool is in force; leave it out`,
      `${path}.limits.${name}`,
    );
  }
  if (autoAllowBashIfSandboxed && driver === 'none') {
    throw new ValidationError(
      `${path}.autoAllowBashIfSandboxed contradicts the driver 'none', which is no sandbox: every command would run unasked`,
      `${path}.autoAllowBashIfSandboxed`,
    );
  }
}
