import { objectSchema } from '@x/core';
import type { Field } from '@x/core/internal';
import type { FunctionDefinition } from '@x/registry';

/**
 * Definitions of the tools of the built-in groups for files, commands, the network and the conversation, by name. Used for tools that the
 * host did not pass in. Those of `org_management` are in `orgTools`.
 */
export function builtinDefinitions(): ReadonlyMap<string, FunctionDefinition> {
  const all = [...artifactDefinitions(), ...workspaceDefinitions(), ...commandDefinitions(), ...otherDefinitions()];
  return new Map(all.map((one) => [one.function.name, one]));
}

function artifactDefinitions(): readonly FunctionDefinition[] {
  return [
    flat(
      'put_artifact',
      'Keeps a text under a name, for later runs and for other agents that work in the same workspace. What is kept is never ' +
        'changed: another content needs another name. get_artifact reads it.',
      {
        name: { type: 'string', description: 'Letters, digits, dots, dashes and underscores, such as report-2.md.' },
        content: { type: 'string', description: 'The whole text.' },
      },
    ),
    flat(
      'get_artifact',
      'Reads what put_artifact has kept, in this run or another, by this agent or another: at most 28,000 characters from ' +
        'offset; the end of the answer says how to read on.',
      {
        name: { type: 'string', description: 'The name it was kept under.' },
        offset: { type: 'integer', description: 'The first character, from 0.', minimum: 0, optional: true },
      },
    ),
  ];
}

function workspaceDefinitions(): readonly FunctionDefinition[] {
  const path = { type: 'string', description: 'The file, absolute or relative to the working directory.' } as const;
  return [
    flat(
      'read_file',
      'Reads a file of the workspace. Text comes with line numbers (number, tab, line; the number is not part of the file), ' +
        '2000 lines unless limit says otherwise and at most 30,000 characters. Images are shown. Directories and other binary ' +
        'files are refused.',
      {
        path,
        offset: { type: 'integer', description: 'The first line to show, from 1.', minimum: 1, optional: true },
        limit: { type: 'integer', description: 'How many lines to show. Default 2000.', minimum: 1, optional: true },
      },
    ),
    flat(
      'write_file',
      'Creates a file of the workspace, or replaces all of an existing one; missing directories are made.',
      { path, content: { type: 'string', description: 'The whole content of the file.' } },
    ),
    flat(
      'list_files',
      'Lists what is in a directory, one name a line, directories with a slash behind their name. With a pattern such as ' +
        '"**/*.ts" it lists the files below the directory that match, newest first, without those that .gitignore names. At ' +
        'most 30,000 characters.',
      {
        path: { type: 'string', description: 'The directory. Default: the working directory.', optional: true },
        pattern: {
          type: 'string',
          description: '* any run of characters in a name, ** any directories.',
          optional: true,
        },
      },
    ),
    flat(
      'get_workspace_info',
      'Tells the working directory, how many files and directories are directly in it, and the names of the environment ' +
        'variables that commands see.',
      {},
    ),
  ];
}

function commandDefinitions(): readonly FunctionDefinition[] {
  const timeout = {
    type: 'integer',
    description: 'Milliseconds until it is ended. Default 120000, at most 600000.',
    minimum: 1,
    maximum: 600_000,
    optional: true,
  } as const;
  return [
    flat(
      'run_command',
      'Runs a command line with bash in the working directory; nothing is kept from one call to the next. Answers with what ' +
        'it prints (stdout and stderr together), at most 30,000 characters; a code other than 0 is an error.',
      { command: { type: 'string', description: 'The command line.' }, timeout },
    ),
    flat(
      'run_javascript',
      'Runs JavaScript (an ES module, top-level await allowed) in a node process of its own, in the working directory; ' +
        'nothing is kept from one call to the next. Answers with what it prints: use console.log to see a value. At most ' +
        '30,000 characters; an uncaught error is an error.',
      { code: { type: 'string', description: 'The module.' }, timeout },
    ),
  ];
}

function otherDefinitions(): readonly FunctionDefinition[] {
  return [
    flat(
      'http_request',
      'Makes one HTTP request (http or https) and answers with status, headers and text of the response, at most 28,000 ' +
        'characters. GET and HEAD follow redirects within the same origin; any other redirect is shown, and its location can ' +
        'be asked for with another call. A status from 400 is an error.',
      {
        url: { type: 'string', description: 'The whole URL.' },
        method: {
          type: 'string',
          description: 'Default GET.',
          enum: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
          optional: true,
        },
        headers: { type: 'string', description: 'One header a line: "Name: value".', optional: true },
        body: { type: 'string', description: 'The text to send; not with GET and HEAD.', optional: true },
        timeout: {
          type: 'integer',
          description: 'Milliseconds for all of it. Default 30000, at most 120000.',
          minimum: 1,
          maximum: 120_000,
          optional: true,
        },
      },
    ),
    flat(
      'compress_context',
      'Replaces the older part of this conversation by a summary, before the next model call. Use it when much of what was ' +
        'said and read is no longer needed.',
      { instructions: { type: 'string', description: 'What the summary must keep.', optional: true } },
    ),
    flat(
      'get_context_status',
      'Tells how many messages and about how many tokens this conversation has, and how many fit.',
      {},
    ),
    flat(
      'console_print',
      'Shows a text to the people who watch this agent, at most 10,000 characters; nobody answers. What belongs to the ' +
        'answer of a task goes into the answer.',
      { text: { type: 'string', description: 'The text.' } },
    ),
  ];
}

function flat(name: string, description: string, fields: Readonly<Record<string, Field>>): FunctionDefinition {
  return { type: 'function', function: { name, description, parameters: objectSchema(fields).json } };
}
