// SPDX-License-Identifier: MIT
// Work that is not saved: Ctrl S saves it, and leaving its page asks first.
import { useEffect, useRef, useState } from 'react';
import { w } from '../words';
import { Button } from './button';
import { Dialog } from './dialog';

interface Work {
	save: () => Promise<unknown>;
	/** Whether there is something to lose. */
	dirty: boolean;
	/** A part of the paths of pages that keep the work. */
	kept?: string;
}

/** The work of the page that is open; one page has at most one. */
let work: Work | null = null;

/** How a way out of the page is asked about; the dialog sets it. */
let ask: (go: () => void) => void = (go) => go();

/** Forgets the work, since it was deleted, or stands in another page now. */
export const workForget = () => void (work = null);

/** Whether the work would be lost on the way from one address to another. */
const loses = (from: string, to: string) => {
	const path = new URL(to, location.href).pathname;
	return work?.dirty && path !== new URL(from).pathname && !(work.kept && path.includes(work.kept));
};

/** Goes somewhere, at once where nothing is lost by it. */
export function leave(to: string, go: () => void) {
	if (loses(location.href, to)) ask(go);
	else go();
}

/** Tells of a page's work. `save` fails where it could not be saved. */
export function unsavedUse(dirty: boolean, save: () => Promise<unknown>, kept?: string) {
	const last = useRef(save);
	last.current = save;
	useEffect(() => {
		const mine: Work = { dirty, save: () => last.current(), kept };
		work = mine;
		return () => void (work === mine && (work = null));
	}, [dirty, kept]);
	useEffect(() => {
		const press = (event: KeyboardEvent) => {
			if (!(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey || event.key.toLowerCase() !== 's') return;
			event.preventDefault();
			if (!document.querySelector('[role="dialog"]')) void last.current().catch(() => {});
		};
		addEventListener('keydown', press);
		return () => removeEventListener('keydown', press);
	}, []);
	useEffect(() => {
		const keep = (event: BeforeUnloadEvent) => work && event.preventDefault();
		if (dirty) addEventListener('beforeunload', keep);
		return () => removeEventListener('beforeunload', keep);
	}, [dirty]);
}

// The browser's own "back" has changed the address already: it is changed again until the reader has answered.
let here = location.href;
const moved = () => void (here = location.href);
for (const type of ['pushState', 'replaceState']) addEventListener(type, moved);
addEventListener(
	'popstate',
	(event) => {
		const to = location.href;
		if (!loses(here, to)) return moved();
		event.stopImmediatePropagation();
		history.pushState(history.state, '', here);
		ask(() => history.pushState(null, '', to));
	},
	{ capture: true },
);

export function Leaving() {
	const [go, setGo] = useState<(() => void) | null>(null);
	const [why, setWhy] = useState('');
	const [busy, setBusy] = useState(false);
	useEffect(() => {
		ask = (go) => {
			setWhy('');
			setGo(() => go);
		};
		return () => void (ask = (go) => go());
	}, []);
	const end = () => {
		setGo(null);
		workForget();
		go?.();
	};
	const save = async () => {
		setBusy(true);
		try {
			await work?.save();
			end();
		} catch (error) {
			setWhy((error as Error).message);
		} finally {
			setBusy(false);
		}
	};
	return (
		<Dialog title={w.unsaved.title} open={go !== null} onOpenChange={(open) => open || setGo(null)}>
			<p>{w.unsaved.text}</p>
			{why && (
				<p className="error" role="alert">
					{why}
				</p>
			)}
			<div className="dialog-foot">
				<Button onClick={() => setGo(null)}>{w.unsaved.stay}</Button>
				<Button look="bad" onClick={end}>
					{w.unsaved.leave}
				</Button>
				<Button look="main" busy={busy} onClick={() => void save()}>
					{w.unsaved.save}
				</Button>
			</div>
		</Dialog>
	);
}
