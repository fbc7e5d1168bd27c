#!/usr/bin/env node
// Serves the registry of a module: `npx @x/http ./module.mjs`. The environment says how; see `loadConfig`.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAgentError, ValidationError } from '@x/core';
import type { ToolRegistry } from '@x/registry';
import { loadConfig } from './config/server-config.ts';
import { serve } from './serve.ts';

const [path, ...more] = process.argv.slice(2);
if (path === undefined || path.startsWith('-') || more.length > 0) {
  console.error(
    'Usage: npx @x/http <module>\nThe module exports `registry`, a ToolRegistry, or has it as its default export.',
  );
  process.exitCode = 2;
} else {
  await main(path).catch((error: unknown) => {
    console.error(isAgentError(error) ? `${error.name}: ${error.message}` : error);
    process.exitCode = 1;
  });
}

async function main(module: string): Promise<void> {
  const registry = registryIn(await import(pathToFileURL(resolve(module)).href), module);
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
function registryIn(module: Readonly<Record<string, unknown>>, path: string): ToolRegistry {
  const found = module['registry'] ?? module['default'];
  if (found !== undefined) return found as ToolRegistry;
  throw new ValidationError(`${path} must export registry, a ToolRegistry of @x/registry`, 'registry');
}
