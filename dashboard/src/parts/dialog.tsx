// SPDX-License-Identifier: MIT
// A dialog: a form over the page, closed by Escape.
import * as Radix from '@radix-ui/react-dialog';
import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import { w } from '../words';
import { Button } from './button';
import { Icon } from './icon';
import { newUse } from './new';

interface Props {
	title: string;
	open: boolean;
	onOpenChange: (open: boolean) => void;
	children: ReactNode;
	wide?: boolean;
}

/** The first thing to fill in; else the first button of the foot, which leaves. */
function firstOf(dialog: HTMLElement) {
	return dialog.querySelector<HTMLElement>('[data-first]') ?? dialog.querySelector<HTMLElement>('input:not([type="hidden"], :disabled), textarea:not(:disabled), select:not(:disabled)') ?? dialog.querySelector<HTMLElement>('.dialog-foot button');
}

export function Dialog({ title, open, onOpenChange, children, wide }: Props) {
	const dialog = useRef<HTMLDivElement>(null);
	const before = useRef<Element | null>(null);
	const enter = (event: Event) => {
		before.current = document.activeElement;
		const first = dialog.current && firstOf(dialog.current);
		if (!first) return;
		event.preventDefault();
		first.focus();
	};
	// The focus goes back to where it was, or to the page where that is gone.
	const leave = (event: Event) => {
		event.preventDefault();
		const there = before.current instanceof HTMLElement && before.current.isConnected && before.current !== document.body;
		(there ? (before.current as HTMLElement) : document.getElementById('main'))?.focus();
	};
	return (
		<Radix.Root open={open} onOpenChange={onOpenChange}>
			<Radix.Portal>
				<Radix.Overlay className="overlay" />
				<Radix.Content ref={dialog} className={wide ? 'dialog wide' : 'dialog'} aria-describedby={undefined} onOpenAutoFocus={enter} onCloseAutoFocus={leave}>
					<div className="dialog-head">
						<Radix.Title>{title}</Radix.Title>
						<Radix.Close className="icon-button" aria-label={w.do.close}>
							<Icon name="close" />
						</Radix.Close>
					</div>
					{children}
				</Radix.Content>
			</Radix.Portal>
		</Radix.Root>
	);
}

/** A form in a dialog: its fields, one button that does it, one that leaves. */
export function FormDialog(props: Props & { action: string; bad?: boolean; busy?: boolean; disabled?: boolean; onSubmit: (values: FormData) => void }) {
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		props.onSubmit(new FormData(event.currentTarget));
	};
	return (
		<Dialog {...props}>
			<form onSubmit={submit} className="stack">
				{props.children}
				<div className="dialog-foot">
					<Button onClick={() => props.onOpenChange(false)}>{w.do.cancel}</Button>
					<Button type="submit" look={props.bad ? 'bad' : 'main'} busy={props.busy} disabled={props.disabled}>
						{props.action}
					</Button>
				</div>
			</form>
		</Dialog>
	);
}

/** A button that asks before it does something that cannot be undone. */
export function ConfirmButton(props: { name: string; title: string; text: ReactNode; onConfirm: () => void; quiet?: boolean }) {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button look={props.quiet ? 'quiet' : 'bad'} onClick={() => setOpen(true)}>
				{props.name}
			</Button>
			<FormDialog
				title={props.title}
				open={open}
				onOpenChange={setOpen}
				action={props.name}
				bad
				onSubmit={() => {
					setOpen(false);
					props.onConfirm();
				}}
			>
				<p>{props.text}</p>
			</FormDialog>
		</>
	);
}

/** A button that opens a form; the dialog closes when `onSubmit` has worked. */
export function FormButton(props: {
	name: string;
	title: string;
	action: string;
	look?: 'main' | 'plain' | 'quiet' | 'bad';
	wide?: boolean;
	/** It makes a new thing, and opens where the address asks for one. */
	fresh?: boolean;
	/** Must work before the form opens. */
	before?: () => Promise<unknown>;
	/** The action is not to be had now. */
	disabled?: boolean;
	children: ReactNode;
	onSubmit: (values: FormData) => Promise<unknown>;
}) {
	const [open, setOpen] = useState(false);
	const [busy, setBusy] = useState(false);
	const [why, setWhy] = useState('');
	const submit = async (values: FormData) => {
		setBusy(true);
		setWhy('');
		try {
			await props.onSubmit(values);
			setOpen(false);
		} catch (error) {
			setWhy((error as Error).message);
		} finally {
			setBusy(false);
		}
	};
	newUse(props.fresh ? () => setOpen(true) : undefined);
	const show = async () => {
		setWhy('');
		setBusy(true);
		try {
			await props.before?.();
			setOpen(true);
		} catch {
			// The change that failed has said why.
		} finally {
			setBusy(false);
		}
	};
	return (
		<>
			<Button look={props.look ?? 'main'} busy={busy && !open} onClick={() => void show()}>
				{props.name}
			</Button>
			<FormDialog
				title={props.title}
				open={open}
				onOpenChange={setOpen}
				action={props.action}
				bad={props.look === 'bad'}
				busy={busy}
				disabled={props.disabled}
				wide={props.wide}
				onSubmit={(values) => void submit(values)}
			>
				{props.children}
				{why && (
					<p className="error" role="alert">
						{why}
					</p>
				)}
			</FormDialog>
		</>
	);
}
