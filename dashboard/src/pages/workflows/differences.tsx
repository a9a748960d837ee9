// SPDX-License-Identifier: MIT
// How one design differs from another: in words, and the nodes that differ side by side.
import { w } from '../../words';
import { isObject, type Data, type Design, type Step } from './design';
import { rulesText, stepName, stepNameOf, timeoutText, wayName } from './kinds';

/** Longer texts are not quoted in a sentence. */
const short = 80;

/** The sentences that tell how `after` differs from `before`. Places of nodes do not count. */
export function differences(before: Design, after: Design): string[] {
	const was = new Map(before.nodes.map((node) => [node.id, node]));
	const is = new Map(after.nodes.map((node) => [node.id, node]));
	return [
		...after.nodes.filter(({ id }) => !was.has(id)).map((node) => w.workflows.differs.added(named(node))),
		...before.nodes.filter(({ id }) => !is.has(id)).map((node) => w.workflows.differs.gone(named(node))),
		...after.nodes.flatMap((node) => (was.has(node.id) ? changesOf(was.get(node.id)!, node) : [])),
		...waysOf(after, before, w.workflows.differs.leads),
		...waysOf(before, after, w.workflows.differs.leadsNoMore),
	];
}

/** The ids of the nodes of `one` that are not the same in `other`. */
export function nodesThatDiffer(one: Design, other: Design): Set<string> {
	const there = new Map(other.nodes.map((node) => [node.id, textOf(node)]));
	return new Set(one.nodes.filter((node) => there.get(node.id) !== textOf(node)).map(({ id }) => id));
}

const named = (node: Step) => `${stepName(node)} (${node.id})`;
const textOf = ({ type, data }: Step) => JSON.stringify({ type, data: Object.fromEntries(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1))) }, null, 2);

function changesOf(before: Step, after: Step): string[] {
	const name = named(after);
	const typed = before.type === after.type ? [] : [w.workflows.differs.type(name)];
	const fields = [...new Set([...Object.keys(before.data), ...Object.keys(after.data)])].sort();
	return [...typed, ...fields.filter((field) => JSON.stringify(before.data[field]) !== JSON.stringify(after.data[field])).map((field) => changeOf(name, field, before.data, after.data))];
}

function changeOf(name: string, field: string, before: Data, after: Data) {
	const [was, is] = [valueText(field, before), valueText(field, after)];
	const known = (w.workflows.differs.fields as Record<string, string>)[field] ?? field;
	return was === null || is === null ? w.workflows.differs.rewritten(name, known) : w.workflows.differs.changed(name, known, was, is);
}

/** A value in a sentence; null: it is too long for that. */
function valueText(field: string, data: Data): string | null {
	const value = data[field];
	if (value === undefined || value === null || value === '') return w.workflows.differs.nothing;
	const text = typeof value === 'string' ? value : ((field === 'timeout' && timeoutText(value)) || (isObject(value) && rulesText(value)) || (field === 'rules' && rulesText(data)) || JSON.stringify(value));
	return text.length > short || text.includes('\n') ? null : w.workflows.differs.quote(text);
}

/** The sentences for the edges of `one` that `other` has not. */
function waysOf(one: Design, other: Design, say: (from: string, to: string, way: string) => string) {
	const key = ({ source, target, sourceHandle }: Design['edges'][0]) => JSON.stringify([source, target, sourceHandle ?? null]);
	const there = new Set(other.edges.map(key));
	const fresh = one.edges.filter((edge) => !there.has(key(edge)));
	return fresh.map(({ source, target, sourceHandle }) => say(stepNameOf(one.nodes, source), stepNameOf(one.nodes, target), sourceHandle ? wayName(sourceHandle) : ''));
}

interface Props {
	before: Design;
	after: Design;
	/** What stands above the two sides. */
	names: [string, string];
}

export function Differences({ before, after, names }: Props) {
	const sentences = differences(before, after);
	const differing = [...new Set([...nodesThatDiffer(after, before), ...nodesThatDiffer(before, after)])];
	if (!sentences.length) return <p className="soft">{w.workflows.placesOnly}</p>;
	return (
		<>
			<ul className="differences" aria-label={w.workflows.changes}>
				{sentences.map((sentence, index) => (
					<li key={index}>{sentence}</li>
				))}
			</ul>
			{differing.length > 0 && (
				<div className="changes">
					{names.map((name, index) => (
						<h3 key={index}>{name}</h3>
					))}
					{differing.flatMap((id) => [before, after].map((side, index) => <Side key={`${id} ${index}`} node={side.nodes.find((node) => node.id === id)} />))}
				</div>
			)}
		</>
	);
}

function Side({ node }: { node?: Step }) {
	if (!node) return <p className="soft">–</p>;
	return (
		<div>
			<p>
				<strong>{named(node)}</strong>
			</p>
			<pre className="source" tabIndex={0}>
				{textOf(node)}
			</pre>
		</div>
	);
}
