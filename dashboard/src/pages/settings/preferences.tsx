// SPDX-License-Identifier: MIT
// The looks of the page on which people choose what they get.
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Button } from '../../parts/button';
import { Choice, Field, said, TextField } from '../../parts/field';
import { Ready } from '../../parts/state';
import { w } from '../../words';
import { lookChange, lookQuery, type Look } from './query';

const languages = { en: 'English', de: 'Deutsch', fr: 'Français', es: 'Español', pt: 'Português' } as const;
type Language = keyof typeof languages;

export function Preferences() {
	const look = useQuery(lookQuery);
	return (
		<section className="card">
			<h2>{w.settings.page}</h2>
			<p className="soft">{w.settings.pageText}</p>
			<Ready of={look}>{(look) => <Form look={look} />}</Ready>
		</section>
	);
}

function Form({ look }: { look: Look }) {
	const may = mayChangeUse();
	const [language, setLanguage] = useState<Language>('en');
	const [texts, setTexts] = useState<Partial<Record<Language, string>>>(look.text);
	const change = changeUse(lookChange, { touches: [['look']], done: w.settings.saved });
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		const text = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim() || null]));
		change.mutate({
			title: said(values, 'title') || null,
			text: text as Record<string, never>,
			colour: said(values, 'colour') || null,
			logo_url: said(values, 'logo') || null,
			address: said(values, 'address') || null,
		});
	};
	return (
		<form className="stack" onSubmit={submit}>
			<fieldset className="stack bare" disabled={!may}>
				<legend className="hidden">{w.settings.page}</legend>
				<Field label={w.settings.pageTitle} name="title" defaultValue={look.title ?? ''} />
				<Choice label={w.nav.language} value={language} onChange={(event) => setLanguage(event.target.value as Language)} options={Object.entries(languages).map(([value, name]) => ({ value, name }))} />
				<TextField label={w.settings.pageWords} rows={3} value={texts[language] ?? ''} onChange={(event) => setTexts({ ...texts, [language]: event.target.value })} />
				<Field label={w.settings.pageColour} name="colour" placeholder="#3350c8" pattern="#[0-9A-Fa-f]{6}" defaultValue={look.colour ?? ''} />
				<Field label={w.settings.pageLogo} name="logo" type="url" placeholder="https://" defaultValue={look.logo_url ?? ''} />
				<TextField label={w.settings.pageAddress} name="address" rows={3} defaultValue={look.address ?? ''} />
				{may && (
					<div>
						<Button type="submit" look="main" busy={change.isPending}>
							{w.do.save}
						</Button>
					</div>
				)}
			</fieldset>
		</form>
	);
}
