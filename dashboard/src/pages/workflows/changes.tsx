// SPDX-License-Identifier: MIT
// The saved version and the drawing, side by side: each node that differs.
import { useState } from 'react';
import { Button } from '../../parts/button';
import { Dialog } from '../../parts/dialog';
import { Icon } from '../../parts/icon';
import { w } from '../../words';
import { designText, type Design } from './design';
import type { DrawingOf } from './history';
import { stepNameOf } from './kinds';

interface Part {
	id: string;
	type?: string;
	data?: unknown;
	source?: string;
	target?: string;
	sourceHandle?: string;
}

export function Changes({ drawing: { design, saved, dirty } }: { drawing: DrawingOf }) {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button look="quiet" disabled={!dirty} onClick={() => setOpen(true)}>
				<Icon name="audit" />
				{w.workflows.changes}
			</Button>
			<Dialog wide title={w.workflows.changes} open={open} onOpenChange={setOpen}>
				{open && <SideBySide design={design} saved={saved} />}
			</Dialog>
		</>
	);
}

function SideBySide({ design, saved }: { design: Design; saved: string }) {
	const now = partsOf(designText(design));
	const before = partsOf(saved);
	const names = [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name));
	if (!names.length) return <p className="soft">{w.workflows.placesOnly}</p>;
	return (
		<div className="changes">
			<h3>{w.workflows.before}</h3>
			<h3>{w.workflows.after}</h3>
			{names.flatMap((name) => [before, now].map((side, index) => <Side key={`${name} ${index}`} name={name.startsWith('node ') ? stepNameOf(design.nodes, name.slice(5)) : w.workflows.edges} text={side.get(name)} />))}
		</div>
	);
}

function Side({ name, text }: { name: string; text?: string }) {
	return (
		<div>
			<p>
				<strong>{name}</strong>
			</p>
			{text === undefined ? <p className="soft">–</p> : <pre className="source">{text}</pre>}
		</div>
	);
}

/** The nodes of a design and its edges as texts, without the places of nodes. */
function partsOf(text: string) {
	const { nodes, edges } = JSON.parse(text) as { nodes: Part[]; edges: Part[] };
	const parts = new Map(nodes.map(({ id, type, data }) => [`node ${id}`, JSON.stringify({ type, data }, null, 2)]));
	const ways = edges.map(({ source, sourceHandle, target }) => `${source}${sourceHandle ? ` ${sourceHandle}` : ''} → ${target}`);
	return parts.set('edges', ways.sort().join('\n'));
}
