#!/usr/bin/env node
// Serves what a module exports: `npx @x/http ./module.mjs` its registry and its sessions over HTTP, as the environment says (see `loadConfig`),
// with `--stdio` its registry as an MCP server over the standard input and output.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAgentError, ValidationError } from '@x/core';
import type { ToolRegistry } from '@x/registry';
import { loadConfig } from './config/server-config.ts';
import { serve } from './serve.ts';
import { serveStdio } from './serve-stdio.ts';
import type { SessionHost } from './settings/session-host.ts';

const USAGE = `Usage: npx @x/http <module> [--stdio]
The module exports \`registry\`, a ToolRegistry, or has it as its default export; \`sessions\`, a sessionHost of @x/http/sessions; or both.
With --stdio its registry is served over the standard input and output.`;

const given = process.argv.slice(2);
const isStdio = given.at(-1) === '--stdio';
const [path, ...more] = isStdio ? given.slice(0, -1) : given;
if (path === undefined || path.startsWith('-') || more.length > 0) {
  console.error(USAGE);
  process.exitCode = 2;
} else {
  await (isStdio ? converse(path) : listen(path)).catch((error: unknown) => {
    console.error(isAgentError(error) ? `${error.name}: ${error.message}` : error);
    process.exitCode = 1;
  });
}

async function converse(module: string): Promise<void> {
  const print = process.stdout.write;
  process.stdout.write = process.stderr.write.bind(process.stderr); // what the module prints is no message
  const { registry } = await servedIn(module).finally(() => {
    process.stdout.write = print;
  });
  if (!registry) throw nothingIn(module, 'registry');
  const { logLevel } = loadConfig();
  const { ended, close } = await serveStdio({ registry, logLevel });
  const end = () => void close();
  process.once('SIGINT', end).once('SIGTERM', end);
  await ended;
  process.exit(); // whatever the module still has open
}

async function listen(module: string): Promise<void> {
  const served = await servedIn(module);
  const server = await serve({ ...loadConfig({ ...process.env, ...tokenOfFile() }), ...served });
  const { registry, sessions } = served;
  if (registry) console.log(`${registry.list().length} tools at ${server.url}/v1/tools`);
  if (sessions) console.log(`sessions at ${server.url}/v1/sessions`);
  const end = () => void server.close().then(() => process.exit());
  process.once('SIGINT', end).once('SIGTERM', end);
}

/** A token in a file is seen by fewer than one in the environment. */
function tokenOfFile(): { HTTP_TOKEN?: string } {
  const file = process.env['HTTP_TOKEN_FILE'];
  if (!file) return {};
  const token = readFileSync(file, 'utf8').trim();
  if (token === '') throw new ValidationError(`HTTP_TOKEN_FILE: ${file} is empty`, 'HTTP_TOKEN_FILE');
  return { HTTP_TOKEN: token };
}

/** The exports of a module that `serve` takes. */
interface Served {
  readonly registry?: ToolRegistry;
  readonly sessions?: SessionHost;
}

/** `serve` checks them: a registry of another copy of the package is one too. @throws ValidationError when there is neither */
async function servedIn(path: string): Promise<Served> {
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(resolve(path)).href);
  const { registry = module['default'], sessions } = module;
  if (registry === undefined && sessions === undefined) throw nothingIn(path, 'registry or sessions');
  return { ...(registry === undefined ? {} : { registry }), ...(sessions === undefined ? {} : { sessions }) } as Served; // safe: likewise
}

function nothingIn(path: string, what: string): ValidationError {
  const text = `${path} must export ${what}: a ToolRegistry of @x/registry, a sessionHost of @x/http/sessions`;
  return new ValidationError(text, 'registry');
}
