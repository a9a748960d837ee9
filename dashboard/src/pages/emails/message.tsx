// SPDX-License-Identifier: MIT
// The message of an email as it leaves: its source, and its headers as a table.
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Choice } from '../../parts/field';
import { HeaderTable, PlainText } from '../../parts/mail-page';
import { Ready } from '../../parts/state';
import { w } from '../../words';
import { messageQuery, type Email, type Message } from './query';

export const Source = ({ email }: { email: Email }) => (
	<Shown email={email}>
		{({ message, size, truncated }) => (
			<>
				<PlainText text={message} />
				{truncated && <p className="help">{w.emails.messageCut(size)}</p>}
			</>
		)}
	</Shown>
);

export const Headers = ({ email }: { email: Email }) => (
	<Shown email={email}>
		{({ message }) => <HeaderTable headers={fieldsOf(message)} />}
	</Shown>
);

function Shown({ email, children }: { email: Email; children: (message: Message) => ReactNode }) {
	const [recipient, setRecipient] = useState('');
	const message = useQuery(messageQuery(email.id, recipient));
	const all = email.recipient_statuses.map((one) => one.recipient);
	return (
		<Ready of={message}>
			{(message) =>
				message ? (
					<div className="stack">
						{message.recipient !== null && all.length > 1 && (
							<Choice label={w.emails.messageOf} value={message.recipient} onChange={(event) => setRecipient(event.target.value)} options={all.map((value) => ({ value, name: value }))} />
						)}
						{children(message)}
						<p className="help">{w.emails.messageHelp}</p>
					</div>
				) : (
					<p className="soft">{w.emails.messageGone}</p>
				)
			}
		</Ready>
	);
}

/** The fields of a message's head, each on one line. */
function fieldsOf(message: string) {
	const head = message.split(/\r?\n\r?\n/, 1)[0].replace(/\r?\n(?=[ \t])/g, '');
	return head.split(/\r?\n/).map((line) => {
		const colon = line.indexOf(':');
		return { name: line.slice(0, colon), value: line.slice(colon + 1).trim() };
	});
}
