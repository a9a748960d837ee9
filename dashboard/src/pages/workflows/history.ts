// SPDX-License-Identifier: MIT
// A design that is being drawn, with what can be undone. It stays while the reader looks at other pages.
import { useCallback, useState } from 'react';
import { designRead, designText, type Design } from './design';
import type { Workflow } from './query';

const steps = 200;

interface Drawing {
	now: Design;
	past: Design[];
	future: Design[];
	/** Changes of one key in a row are undone together. */
	key?: string;
	/** What is saved, as text, and its version. */
	saved: string;
	version: number;
}

const drawings = new Map<string, Drawing>();

function drawingOf({ design, current_version: version }: Workflow): Drawing {
	const now = designRead(design);
	return { now, past: [], future: [], saved: designText(now), version };
}

export type Change = (design: Design) => Design;

/** Drawing a workflow. */
export function drawingUse(workflow: Workflow) {
	const id = workflow.workflow_id;
	const [, again] = useState(0);
	let drawing = drawings.get(id);
	const dirty = drawing ? designText(drawing.now) !== drawing.saved : false;
	if (!drawing || (!dirty && drawing.version < workflow.current_version)) {
		drawing = drawingOf(workflow);
		drawings.set(id, drawing);
	}
	const set = useCallback(
		(next: (drawing: Drawing) => Drawing) => {
			drawings.set(id, next(drawings.get(id)!));
			again((count) => count + 1);
		},
		[id],
	);
	/** Changes the design; it can be undone unless `silent`. */
	const change = useCallback(
		(what: Change, key?: string, silent?: boolean) =>
			set((drawing) => {
				const now = what(drawing.now);
				if (now === drawing.now) return drawing;
				if (silent || (key && key === drawing.key)) return { ...drawing, now };
				return { ...drawing, now, key, past: [...drawing.past.slice(1 - steps), drawing.now], future: [] };
			}),
		[set],
	);
	/** Ends a row of changes of one key. */
	const pause = useCallback(() => set((drawing) => ({ ...drawing, key: undefined })), [set]);
	const undo = useCallback(
		() => set((drawing) => (drawing.past.length ? { ...drawing, now: drawing.past.at(-1)!, past: drawing.past.slice(0, -1), future: [drawing.now, ...drawing.future], key: undefined } : drawing)),
		[set],
	);
	const redo = useCallback(
		() => set((drawing) => (drawing.future.length ? { ...drawing, now: drawing.future[0], past: [...drawing.past, drawing.now], future: drawing.future.slice(1), key: undefined } : drawing)),
		[set],
	);
	const saved = useCallback((text: string, version: number) => set((drawing) => ({ ...drawing, saved: text, version })), [set]);
	const discard = useCallback((workflow: Workflow) => set(() => drawingOf(workflow)), [set]);
	return {
		design: drawing.now,
		saved: drawing.saved,
		dirty,
		/** Somebody else has saved another design meanwhile. */
		behind: dirty && drawing.version < workflow.current_version,
		canUndo: drawing.past.length > 0,
		canRedo: drawing.future.length > 0,
		change,
		pause,
		undo,
		redo,
		keep: saved,
		discard,
	};
}

export type DrawingOf = ReturnType<typeof drawingUse>;
