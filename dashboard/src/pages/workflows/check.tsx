// SPDX-License-Identifier: MIT
// What keeps the design from being active, in the service's own sentence, as it is drawn.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from '../../parts/button';
import { w } from '../../words';
import { designText, nodeWhole, unfinishedIn, type Design } from './design';
import { stepNameOf } from './kinds';
import { checkQuery } from './query';

const pause = 400;

export function checkUse(design: Design, may: boolean) {
	const text = designText(design);
	const [asked, setAsked] = useState(text);
	useEffect(() => {
		const timer = setTimeout(() => setAsked(text), pause);
		return () => clearTimeout(timer);
	}, [text]);
	return useQuery({ ...checkQuery(design, asked), enabled: may && asked === text && !unfinishedIn(design) });
}

/** The node of which a sentence of the service speaks. */
export function faultyNode(sentence: string | undefined, { nodes }: Design) {
	const named = nodes.filter(({ id }) => id && sentence?.includes(`"${id}"`));
	return named.sort((a, b) => sentence!.indexOf(`"${a.id}"`) - sentence!.indexOf(`"${b.id}"`))[0]?.id;
}

export function Check({ check, design, onChoose }: { check: UseQueryResult<string>; design: Design; onChoose: (id: string) => void }) {
	const unfinished = unfinishedIn(design);
	const node = unfinished?.id ?? faultyNode(check.data, design);
	if (unfinished)
		return (
			<div className="flow-message warn" role="status" aria-label={w.workflows.check}>
				<p>{(nodeWhole(unfinished) ? w.workflows.unreached : w.workflows.unfinished)(stepNameOf(design.nodes, unfinished.id))}</p>
				<Button onClick={() => onChoose(unfinished.id)}>{w.workflows.goThere}</Button>
			</div>
		);
	if (check.error)
		return (
			<div className="flow-message warn" role="status">
				{w.workflows.unchecked} {check.error.message}
			</div>
		);
	return (
		<div className={check.data ? 'flow-message bad' : 'flow-message good'} role="status" aria-label={w.workflows.check}>
			<p>{check.data === undefined ? w.workflows.checking : check.data || w.workflows.sound}</p>
			{node !== undefined && <Button onClick={() => onChoose(node)}>{w.workflows.goThere}</Button>}
		</div>
	);
}
