// SPDX-License-Identifier: MIT
// What comes of a template as it is being written, for a person or with sample values, as the service renders it.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { propertiesQuery } from '../../api/choices';
import { settledUse } from '../../api/settled';
import { Button } from '../../parts/button';
import { TextField } from '../../parts/field';
import { MailFrame } from '../../parts/mail-frame';
import { fewOf, Problems, SeerField, seerUse, shownOf, valuesOf } from '../../parts/seen';
import { Failed, Loading } from '../../parts/state';
import { Tabs } from '../../parts/tabs';
import { w } from '../../words';
import { renderQuery, type Draft } from './query';
import type { Values } from './template';

interface Props {
	id: string;
	/** What is written, and the same once more where it is not what is stored; else null. */
	written: Draft;
	draft: Draft | null;
	/** Values that the template itself has. */
	defaults: Values;
	values: Values;
	onValues: (values: Values) => void;
}

export function Preview({ id, written, draft, defaults, values, onValues }: Props) {
	const [text, setText] = useState('{}');
	const [phone, setPhone] = useState(false);
	const [dark, setDark] = useState(false);
	const parsed = objectOf(text);
	const by = seerUse();
	const properties = useQuery(propertiesQuery).data ?? [];
	const person = by.seer?.id ?? null;
	const asked = settledUse({ person, draft, variables: fewOf({ ...(by.seer ? valuesOf(by.seer, properties, defaults) : draft ? defaults : {}), ...values }, Object.values(written)) });
	const rendered = useQuery(renderQuery(id, asked.person, asked.draft, asked.variables));
	// No mail stands under another one's name.
	const mail = asked.person === person ? rendered.data : undefined;
	const take = (next: string) => {
		setText(next);
		const object = objectOf(next);
		if (object) onValues(object);
	};
	return (
		<section className="section">
			<h2>{w.templates.preview}</h2>
			<SeerField of={by} />
			<TextField label={w.templates.values} help={w.templates.valuesHelp} rows={3} value={text} onChange={(event) => take(event.target.value)} spellCheck={false} />
			{!parsed && (
				<p className="error" role="alert">
					{w.templates.noObject}
				</p>
			)}
			{rendered.error ? (
				<Failed why={rendered.error} />
			) : (
				<>
					{mail ? (
						<>
							<Problems of={mail.problems} />
							<p>
								<strong>{mail.subject}</strong> <span className="soft">{shownOf(mail.html)}</span>
							</p>
						</>
					) : (
						<Loading />
					)}
					<div className="row">
						<Button aria-pressed={phone} onClick={() => setPhone(!phone)}>
							{w.emails.phone}
						</Button>
						<Button aria-pressed={dark} onClick={() => setDark(!dark)}>
							{w.templates.dark}
						</Button>
					</div>
					<Tabs
						label={w.templates.preview}
						tabs={[
							{ id: 'html', name: w.templates.html, content: <div className={phone ? 'mail-narrow' : undefined}><MailFrame html={mail?.html ?? ''} dark={dark} /></div> },
							{ id: 'text', name: w.templates.plain, content: <pre className="source" tabIndex={0}>{mail?.text}</pre> },
						]}
					/>
				</>
			)}
			{draft && <p className="help">{w.templates.unsaved}</p>}
		</section>
	);
}

function objectOf(text: string): Values | null {
	try {
		const value = JSON.parse(text || '{}');
		return value && typeof value === 'object' && !Array.isArray(value) ? value : null;
	} catch {
		return null;
	}
}
