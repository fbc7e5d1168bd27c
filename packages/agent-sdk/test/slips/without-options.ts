const at = (place: string, names: string) =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => `${place}: ${name}`);

/** Values that are exported and take no object of options, by the reason. A new one goes here, or gets a row. */
export const withoutOptions: Readonly<Record<string, readonly string[]>> = {
  'errors, whose facts are shown and guard nothing': [
    ...at(
      'core',
      `AbortError AgentError AuthenticationError AuthorizationError MCPError RateLimitError SessionError TimeoutError ToolDisabledError ToolError ToolExecutionError ToolNotFoundError ValidationError`,
    ),
    ...at('mcp', `McpError`),
    ...at('http/client', `HttpError`),
    ...at('models', `ModelError`),
    ...at('models/testing', 'RecordingError'),
    ...at('sandbox', `SandboxUnavailableError`),
    ...at('tool-groups', `OrganizationError`),
  ],
  constants: [
    ...at('core/internal', `LONGEST_TIMER_MS MODEL_ERROR_CODES MODEL_OPTIONS silentLogger`),
    ...at(
      'errors/option-rules',
      'abortSignal anything callback filePath filledText flag list milliseconds text texts words',
    ),
    ...at('command-line', `interpreterPrograms maxCommandLineBytes riskyOptions`),

    ...at('core/internal', `SERVICE_TOOL_TYPES`),
    ...at('handlers/internal', `SERVICE`),
    ...at('executor/internal', `MAX_OUTPUT_BYTES`),
    ...at('http', `defaultConfig`),
    ...at('tool-groups', `BUILTIN_TOOL_GROUPS`),
    ...at('tool-groups/internal', `ROOT_AGENT_ID`),
  ],
  'schemas, which have checks of their own': [
    ...at('core', `objectSchema standardSchema`),
    ...at('core/internal', `toSchema toToolSchema zodSchema`),
    ...at('json-schema', `equal isJsonSchema jsonSchema linearPattern withoutNulls`),
    ...at('registry', `parametersSchema toFunctionDefinition toMcpTool toMetadata`),
  ],
  'texts, rules and patterns, whose parsers refuse what they do not read': [
    ...at('command-line', `commandLineParser coverage isCovered mentions parseCommandPattern unreadCommandLine`),
    ...at('core/path-pattern', 'expandBraces ignoreRules isLiteral noRules pathPattern segmentPattern'),
    ...at('handlers', `parseRules`),
    ...at('mcp/internal', `HOST_HANDLERS LOG_LEVEL checkServers cleanText joined resultOfCall toolNameOf`),
    ...at(
      'handlers/internal',
      `checkMatchers checkMode checkRule checkToolNames matcherTest namesTool parseRule splitToolRules toolNameOf`,
    ),
  ],
  'functions of the values that they are given': [
    ...at(
      'core',
      `backoff faultsText isAgentError isContextOverflow isRetryable retryAfterMs sleep textOf toolUsesOf userMessage`,
    ),
    ...at(
      'core/internal',
      `addUsage backoffMs answerNote askedBy callWaits checkJsonValue checkKeys compacted dottedPath frozen isTool issuesError present jsonPointer knownNames markRetried messageOf nearestName noUsage notRun pointerPart shownNames unknownParameter quietly rootRun toAgentError toResult toolMessage unknownEffect wasRetried failureFacts faultOfMedia faultOfReply isUserMessage foundText isCallWaits jsonFault jsonText permissionNote questionNote refusedComputer applyRecord emptyScope unusedCallId closedWorkspace deadline onAbort unlessAborted valueOfResult bytesOfBase64 isPicture mediaKind mediaOf messageFacts partFacts partText resultMedia shownMessage admitComputer admitModelOptions admitRequest askedModel markAsked ownModelOptions withModelOptions hasSameItems`,
    ),
    ...at('errors', `isKeyed isObject isRecord shownPath withText`),
    ...at(
      'errors/option-rules',
      `checked checkOptions checkValue count countOrInfinity either filledListOf finiteMilliseconds given having listOf nested oneOf recordOf required rule secret shape typed uniqueListOf`,
    ),
    ...at('core/testing', 'collect contractCommands'),
    ...at('executor', `liveRun`),
    ...at('executor/internal', `concludeRun isStreamMessage runningModel truncateOutput untilAborted`),
    ...at('handlers', `contextStatus runNote`),
    ...at(
      'handlers/internal',
      `admitServiceTools askAndWait closedPaths estimateText estimateTool isAnswerTo keyOfCall ownHandler questionState ruleAgainstService`,
    ),
    ...at('models', `costOf priceOf`),
    ...at('models/internal', `keyVariables PROVIDER_TYPES tellsCost`),
    ...at('registry/internal', `Bm25Index parametersOf toMcpResult`),
    // They take settings that `checkSettings` has checked, for `createSession` and `createSandbox`.
    ...at(
      'sandbox/internal',
      `checkSettings commandPlacement containedProgram linkedOut openContainment sandboxHandler sandboxedWorkspace`,
    ),
    ...at(
      'sandbox/internal',
      `bytesOfPath commandEnvironment guardedFetch homeDirectory killTree makeDirectory realPlace removeEmpty startWatched syncDirectory textOfPath`,
    ),
    ...at('checkpoint/internal', `failedRewind`),
    ...at('models/testing', 'readRecording readRecordings recordedAnswer recordedScript wireServer'),
    ...at('session', `formatDiagnosis`),
    ...at('session/ag-ui', `answersTo`),
    ...at('session/ui', `approvalsIn`),

    ...at('tool-groups/internal', `notAvailableText`),

    ...at('tools/internal', `isRuntimeTool`),
  ],
  'of sessions, for their host over HTTP, which has checked its options': at(
    'session/internal',
    'METER assertCursor conversationOf createSessionAs measuredBacklog questionsOf sendUnopened serveOpened',
  ),
  'streams, made anew for every call, for which a check of what is typed would cost something': at(
    'core/streams',
    'SteppedStream beforeFirstDelta flattened forwarded inner isDelta leaveAtOnce readToEnd relayed steppedWithin watchStream',
  ),
  'makers that take nothing, a text, a number or a function, which they check': [
    ...at('sandbox/driver', `bubblewrapDriver`),
    ...at(
      'handlers',
      `BaseAgentHandler retryBudget withAfterModelRewriteHistory withBeforeAgent withBeforeModelRewriteHistory withInstruction withInstructionFunc withInvokableToolWrapper withStreamableToolWrapper withToolsFunc`,
    ),
    ...at('http', `loadConfig`),
    ...at('mcp', `memoryToolCache`),
    ...at('session', `memoryStore pendingQuestions`),
    ...at('tool-groups', `memoryRoleStore`),
    ...at('tools', `bashTool builtinTools editTool globTool grepTool readTool todoWriteTool webFetchTool writeTool`),
  ],
};
