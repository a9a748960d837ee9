// SPDX-License-Identifier: MIT
// What comes of a template as it is being written, with sample values, as the service renders it.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { settledUse } from '../../api/settled';
import { Button } from '../../parts/button';
import { TextField } from '../../parts/field';
import { MailFrame } from '../../parts/mail-frame';
import { Failed, Loading } from '../../parts/state';
import { Tabs } from '../../parts/tabs';
import { w } from '../../words';
import { renderQuery, type Draft } from './query';
import type { Values } from './template';

interface Props {
	id: string;
	/** What is written; null where it is what is stored. */
	draft: Draft | null;
	/** Values that the template itself has. */
	defaults: Values;
	values: Values;
	onValues: (values: Values) => void;
}

export function Preview({ id, draft, defaults, values, onValues }: Props) {
	const [text, setText] = useState('{}');
	const [phone, setPhone] = useState(false);
	const [dark, setDark] = useState(false);
	const parsed = objectOf(text);
	const asked = settledUse({ draft, variables: draft ? { ...defaults, ...values } : values });
	const rendered = useQuery(renderQuery(id, asked.draft, asked.variables));
	const take = (next: string) => {
		setText(next);
		const object = objectOf(next);
		if (object) onValues(object);
	};
	return (
		<section className="section">
			<h2>{w.templates.preview}</h2>
			<TextField label={w.templates.values} help={w.templates.valuesHelp} rows={3} value={text} onChange={(event) => take(event.target.value)} spellCheck={false} />
			{!parsed && (
				<p className="error" role="alert">
					{w.templates.noObject}
				</p>
			)}
			{rendered.error ? (
				<Failed why={rendered.error} />
			) : rendered.data ? (
				<>
					{rendered.data.problems.map(({ part, message }) => (
						<p key={part} className="error" role="alert">
							{message}
						</p>
					))}
					<p>
						<strong>{rendered.data.subject}</strong> <span className="soft">{shownOf(rendered.data.html)}</span>
					</p>
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
							{ id: 'html', name: w.templates.html, content: <div className={phone ? 'mail-narrow' : undefined}><MailFrame html={rendered.data.html ?? ''} dark={dark} /></div> },
							{ id: 'text', name: w.templates.plain, content: <pre className="source" tabIndex={0}>{rendered.data.text}</pre> },
						]}
					/>
				</>
			) : (
				<Loading />
			)}
			{draft && <p className="help">{w.templates.unsaved}</p>}
		</section>
	);
}

/** The text that mail programs show beside the subject: it stands hidden in front of the html. */
function shownOf(html: string | null) {
	const [, shown] = /<!--preview--><div [^>]*>([^]*?)<\/div><!--\/preview-->/.exec(html ?? '') ?? [];
	return shown && new DOMParser().parseFromString(shown, 'text/html').body.textContent;
}

function objectOf(text: string): Values | null {
	try {
		const value = JSON.parse(text || '{}');
		return value && typeof value === 'object' && !Array.isArray(value) ? value : null;
	} catch {
		return null;
	}
}
