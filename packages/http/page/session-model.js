/** A tree of what happened in a session: runs, with messages and turns, with calls, with the turns of subagents. Needs no browser. */
export class SessionModel {
  #roots = [];
  #calls = new Map();
  /** By the path of the agent: its turn under way, and since when it has been its model's turn. */
  #agents = new Map();
  #run;

  /** Takes one event, in the order in which they came. */
  add(told) {
    const take = Object.hasOwn(TAKE, told.event.type) ? TAKE[told.event.type] : undefined;
    take?.call(this, told.event, told);
    if (this.#run) this.#run.last = Math.max(this.#run.last, told.at);
  }

  /** Nodes in the order in which they are shown; those inside a closed one are left out. */
  rows() {
    const rows = [];
    const show = (node) => {
      rows.push(node);
      if (!node.isClosed) node.children.forEach(show);
    };
    this.#roots.forEach(show);
    return rows;
  }

  begin(run) {
    this.#run = this.put({ kind: 'run', last: run.at, state: 'running', ...run }, undefined);
    this.#agents.clear();
    this.agent([]).since = run.at;
  }

  get run() {
    return this.#run;
  }

  agent(path) {
    const key = path.join();
    if (!this.#agents.has(key)) this.#agents.set(key, { since: this.#calls.get(path.at(-1))?.at });
    return this.#agents.get(key);
  }

  call(id) {
    return this.#calls.get(id);
  }

  /** Adds a node to the place of an agent: the call that has started it, or the run. */
  place(path, node) {
    return this.put(node, this.#calls.get(path.at(-1)) ?? this.#run);
  }

  put(node, parent) {
    const siblings = parent ? parent.children : this.#roots;
    const level = parent ? parent.level + 1 : 1;
    const whole = { children: [], siblings, level, run: parent?.run ?? parent, ...node };
    siblings.push(whole);
    if (node.kind === 'call') this.#calls.set(node.id, whole);
    return whole;
  }

  /** The turn of an agent that is under way. */
  turn({ agentPath, at }) {
    const agent = this.agent(agentPath);
    agent.turn ??= this.place(agentPath, { kind: 'turn', name: 'turn', at, text: '', thinking: '', state: 'running' });
    return agent.turn;
  }

  takeBack(messageId) {
    let isBehind = false;
    const look = (node) => {
      isBehind ||= node.messageId === messageId;
      node.isTakenBack ||= isBehind;
      node.children.forEach(look);
    };
    this.#roots.forEach(look);
  }
}

/** Changes of the tree, by type of event; other types are in the log alone. */
const TAKE = {
  run_started({ model }, { at, runId }) {
    this.begin({ name: 'run', text: model, at, id: runId });
  },
  run_resumed(_, { at }) {
    if (this.run) this.run.state = 'running';
    this.agent([]).since = at;
  },
  run_waiting() {
    if (this.run) this.run.state = 'waiting';
  },
  result({ subtype, usage, cost, content, error, durationMs, turns }, { at, agentPath }) {
    if (!this.run || agentPath.length > 0) return;
    Object.assign(this.run, { state: subtype, usage, cost, output: error ?? content, durationMs, turns, end: at });
    const { turn } = this.agent([]);
    if (turn) turn.state = subtype; // it was cut off
  },
  user_message({ content, messageId }, { at, agentPath }) {
    const agent = this.agent(agentPath);
    const { siblings } = this.place(agentPath, { kind: 'user', name: 'user', text: content, at, messageId });
    // Live, a turn may be told before the message that it answers.
    if (agent.turn) siblings.splice(siblings.indexOf(agent.turn), 0, siblings.pop());
    agent.since = at;
  },
  turn_start(_, told) {
    this.turn(told);
  },
  content({ delta }, told) {
    this.turn(told).text += delta;
  },
  thinking({ delta }, told) {
    this.turn(told).thinking += delta;
  },
  message({ message }, told) {
    const { agentPath, at } = told;
    const agent = this.agent(agentPath);
    const turn = agent.turn ?? this.turn({ ...told, at: agent.since ?? at });
    const { content, usage, model, stopReason } = message;
    const joined = (type) => content.flatMap((block) => (block.type === type ? [block.text] : [])).join('\n');
    const own = { usage, model, stopReason, text: joined('text'), thinking: joined('thinking') };
    Object.assign(turn, { ...own, end: at, state: 'done', messageId: message.id });
    for (const { type, id, name, input } of content) {
      if (type !== 'tool_use') continue;
      this.put({ kind: 'call', id, name, input, at, progress: '', state: 'asked', agentPath }, turn);
    }
    agent.turn = undefined;
  },
  usage({ cost }, { agentPath }) {
    const parent = this.call(agentPath.at(-1)) ?? this.run;
    const turn = parent?.children.findLast(({ kind }) => kind === 'turn');
    if (turn && cost !== undefined) turn.cost = cost;
  },
  tool_started({ id }, { at }) {
    const call = this.call(id);
    if (call) Object.assign(call, { at, state: 'running' });
  },
  tool_progress({ id, delta }) {
    const call = this.call(id);
    if (call) call.progress = (call.progress + delta).slice(-100_000);
  },
  tool_result({ id, output, isError, durationMs }, { at, agentPath }) {
    this.agent(agentPath).since = at;
    const call = this.call(id);
    if (call) Object.assign(call, { output, durationMs, end: at, state: isError ? 'error' : 'done' });
  },
  permission({ id, decision, reason }) {
    const call = this.call(id);
    if (call) call.permission = `${decision}: ${reason}`;
  },
  question({ id }) {
    const call = this.call(id);
    if (call) call.state = 'waiting';
  },
  compaction({ summary, tokensBefore }, { at, agentPath }) {
    this.place(agentPath, {
      kind: 'mark',
      name: 'compacted',
      text: `from ${tokensBefore} tokens`,
      output: summary,
      at,
    });
  },
  conversation_rewound({ messageId }, { at }) {
    this.takeBack(messageId);
    const text = 'the dimmed messages are out of the conversation';
    this.put({ kind: 'mark', name: 'rewound', text, at }, undefined);
  },
  rewound({ restored, deleted, conflicts }, { at }) {
    const text = `files: ${restored} restored, ${deleted} deleted, ${conflicts} in conflict`;
    this.put({ kind: 'mark', name: 'files rewound', text, at }, undefined);
  },
  notification({ kind, message }, { at, agentPath }) {
    this.place(agentPath, { kind: 'notice', name: kind, text: message, at });
  },
  violation({ kind, detail }, { at, agentPath }) {
    this.place(agentPath, { kind: 'notice', name: `${kind} refused`, text: detail, at, state: 'error' });
  },
};
