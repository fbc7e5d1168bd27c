// Starts programs: signals, exit codes, and what Windows needs. Parses on Node 18.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** A failure whose message is all the reader needs. */
export class BootstrapError extends Error {}

const isWindows = process.platform === 'win32';
export const shellOnWindows = isWindows ? { shell: true } : {};

export function quoteOnWindows(argument) {
  return isWindows && /[\s&|<>^"()%!]/.test(argument) ? `"${argument.replaceAll('"', '\\"')}"` : argument;
}

/** What the outer npm says about its own run; an inner npm or pnpm would take it for its own. */
const npmState =
  /^npm_(lifecycle_|package_|command$|execpath$|node_execpath$|config_(user_agent|local_prefix|npm_version|node_gyp|verify_deps_before_run)$)/i;

/** The environment for pnpm, which reads `pnpm_config_*` only: a registry given to npm holds for it too. */
export function withoutNpmState(env) {
  const kept = Object.fromEntries(Object.entries(env).filter(([name]) => !npmState.test(name)));
  const registry = env.npm_config_registry ?? env.NPM_CONFIG_REGISTRY;
  if (registry && !env.pnpm_config_registry && !env.PNPM_CONFIG_REGISTRY) kept.pnpm_config_registry = registry;
  return kept;
}

/** Runs a program in this terminal, passes signals on, and answers with its exit code. @throws BootstrapError */
export function runToEnd(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args.map(quoteOnWindows), { stdio: 'inherit', ...shellOnWindows, ...options });
    const stop = passSignals(child);
    child.on('error', (error) => {
      stop();
      reject(new BootstrapError(`Could not start ${command}: ${error.message}`));
    });
    child.on('exit', (code, signal) => {
      stop();
      resolve(code ?? 128 + (constants.signals[signal] ?? 1));
    });
  });
}

/** A terminal sends Ctrl-C to the whole group, so SIGINT is only passed on where there is no terminal. */
function passSignals(child) {
  const listeners = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((name) => {
    const listener = () => {
      if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
    };
    process.on(name, listener);
    return () => process.off(name, listener);
  });
  return () => {
    for (const remove of listeners) remove();
  };
}
