#!/usr/bin/env node
// Serves the registry of a module: `npx @x/http ./module.mjs` over HTTP, as the environment says (see `loadConfig`), with `--stdio` as an MCP
// server over the standard input and output.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAgentError, ValidationError } from '@x/core';
import type { ToolRegistry } from '@x/registry';
import { loadConfig } from './config/server-config.ts';
import { serve } from './serve.ts';
import { serveStdio } from './serve-stdio.ts';

const USAGE = `Usage: npx @x/http <module> [--stdio]
The module exports \`registry\`, a ToolRegistry, or has it as its default export.`;

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
  const registry = await registryIn(module).finally(() => {
    process.stdout.write = print;
  });
  const { logLevel } = loadConfig();
  const { ended, close } = await serveStdio({ registry, logLevel });
  const end = () => void close();
  process.once('SIGINT', end).once('SIGTERM', end);
  await ended;
  process.exit(); // whatever the module still has open
}

async function listen(module: string): Promise<void> {
  const registry = await registryIn(module);
  const server = await serve({ ...loadConfig({ ...process.env, ...tokenOfFile() }), registry });
  console.log(`${registry.list().length} tools at ${server.url}/v1/tools`);
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

/** `serve` checks it: a registry of another copy of the package is one too. */
async function registryIn(path: string): Promise<ToolRegistry> {
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(resolve(path)).href);
  const found = module['registry'] ?? module['default'];
  if (found !== undefined) return found as ToolRegistry;
  throw new ValidationError(`${path} must export registry, a ToolRegistry of @x/registry`, 'registry');
}
