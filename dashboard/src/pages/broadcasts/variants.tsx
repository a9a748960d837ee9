// SPDX-License-Identifier: MIT
// Variants of a draft: up to five subjects or contents, and how one of them wins.
import { choicesUse } from '../../api/choices';
import { Button } from '../../parts/button';
import { Choice, Field, said, TextField } from '../../parts/field';
import { w } from '../../words';
import type { Broadcast, BroadcastBody } from './query';

export type Variant = Broadcast['variants'][number];
const most = 5;
const hour = 3_600_000;

export function Variants({ variants, broadcast, onChange }: { variants: Variant[]; broadcast: Broadcast; onChange: (variants: Variant[]) => void }) {
	const templates = choicesUse('templates');
	const set = (index: number, change: Variant) => onChange(variants.map((old, at) => (at === index ? { ...old, ...change } : old)));
	return (
		<details open={variants.length > 0}>
			<summary>{w.broadcasts.variants}</summary>
			<div className="stack">
				<p className="help">{w.broadcasts.variantsHelp}</p>
				{variants.map((variant, index) => (
					<fieldset className="rule-group" key={index}>
						<legend>{w.broadcasts.variantNumber(index + 1)}</legend>
						<Field label={w.broadcasts.subject} value={variant.subject ?? ''} placeholder={broadcast.subject ?? ''} onChange={(event) => set(index, { subject: event.target.value || null })} />
						<Choice
							label={w.broadcasts.template}
							value={variant.template_id ?? ''}
							onChange={(event) => set(index, { template_id: event.target.value || null, html: null })}
							options={[{ value: '', name: w.broadcasts.asBroadcast }, ...templates.map(({ id, name }) => ({ value: id, name }))]}
						/>
						{!variant.template_id && (
							<TextField label={w.broadcasts.html} rows={4} spellCheck={false} value={variant.html ?? ''} placeholder={w.broadcasts.asBroadcast} onChange={(event) => set(index, { html: event.target.value || null })} />
						)}
					</fieldset>
				))}
				<div className="row">
					{variants.length < most && (
						<Button onClick={() => onChange(variants.length ? [...variants, {}] : [{}, {}])}>{w.broadcasts.addVariant}</Button>
					)}
					{variants.length > 0 && (
						<Button look="quiet" onClick={() => onChange(variants.length > 2 ? variants.slice(0, -1) : [])}>
							{w.broadcasts.removeVariant}
						</Button>
					)}
				</div>
				{variants.length > 0 && (
					<div className="filters">
						<Field label={w.broadcasts.testShare} help={w.broadcasts.testShareHelp} name="test_share" type="number" min={1} max={100} defaultValue={broadcast.test_share} required />
						<Choice
							label={w.broadcasts.winnerBy}
							name="winner_by"
							defaultValue={broadcast.winner_by}
							options={(['opens', 'clicks', 'manual'] as const).map((value) => ({ value, name: w.broadcasts.winnerWays[value] }))}
						/>
						<Field label={w.broadcasts.decideAfter} name="decide_after" type="number" min={1} max={168} step="any" defaultValue={broadcast.decide_after / hour} required />
					</div>
				)}
			</div>
		</details>
	);
}

/** The variants as the API takes them. */
export const asVariants = (values: FormData, variants: Variant[]): BroadcastBody =>
	variants.length
		? {
				variants: variants.map((variant) => Object.fromEntries(Object.entries(variant).filter(([, value]) => value))),
				test_share: Number(said(values, 'test_share')),
				winner_by: said(values, 'winner_by'),
				decide_after: Math.round(Number(said(values, 'decide_after')) * hour),
			}
		: { variants: null };
