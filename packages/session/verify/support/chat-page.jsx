// The page of a chat, with the real `useChat`: each part of a message is a line of text, as the suite compares them.
import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';

const id = location.pathname.slice(1);
const transport = new DefaultChatTransport({
  prepareSendMessagesRequest: ({ messages }) => ({ body: { id, message: messages.at(-1) } }),
});

function Chat() {
  const { messages, status, error, sendMessage, stop, addToolApprovalResponse } = useChat({
    id,
    transport,
    resume: true,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const [text, setText] = useState('');
  const submit = (event) => {
    event.preventDefault();
    void sendMessage({ text });
    setText('');
  };
  const lines = messages.flatMap(({ id: key, role, parts }) => parts.map((part, at) => [`${key} ${at}`, role, part]));
  return (
    <main data-status={status}>
      {lines.map(([key, role, part]) => (
        <Line key={key} role={role} part={part} answer={addToolApprovalResponse} />
      ))}
      <p id="error">{error?.message}</p>
      <form onSubmit={submit}>
        <input value={text} onChange={(event) => setText(event.target.value)} />
      </form>
      <button type="button" onClick={() => void stop()}>
        Stop
      </button>
    </main>
  );
}

function Line({ role, part, answer }) {
  if (part.type === 'text') return <p className="line">{`${role}: ${part.text}`}</p>;
  if (part.type !== 'dynamic-tool') return null;
  const { toolName, state, input, output, errorText, approval } = part;
  const said = [toolName, `(${state})`, JSON.stringify(input), output ?? errorText].filter(Boolean);
  return (
    <section>
      <p className="line">{said.join(' ')}</p>
      {state === 'approval-requested' && (
        <>
          <button type="button" onClick={() => void answer({ id: approval.id, approved: true })}>
            Allow
          </button>
          <button type="button" onClick={() => void answer({ id: approval.id, approved: false, reason: 'Too dear.' })}>
            Deny
          </button>
        </>
      )}
    </section>
  );
}

createRoot(document.getElementById('root')).render(createElement(Chat));
