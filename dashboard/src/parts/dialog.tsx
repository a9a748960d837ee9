// SPDX-License-Identifier: MIT
// A dialog: a form over the page, closed by Escape.
import * as Radix from '@radix-ui/react-dialog';
import { useState, type FormEvent, type ReactNode } from 'react';
import { w } from '../words';
import { Button } from './button';
import { Icon } from './icon';

interface Props {
	title: string;
	open: boolean;
	onOpenChange: (open: boolean) => void;
	children: ReactNode;
	wide?: boolean;
}

export function Dialog({ title, open, onOpenChange, children, wide }: Props) {
	return (
		<Radix.Root open={open} onOpenChange={onOpenChange}>
			<Radix.Portal>
				<Radix.Overlay className="overlay" />
				<Radix.Content className={wide ? 'dialog wide' : 'dialog'} aria-describedby={undefined}>
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
export function FormDialog(props: Props & { action: string; bad?: boolean; busy?: boolean; onSubmit: (values: FormData) => void }) {
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
					<Button type="submit" look={props.bad ? 'bad' : 'main'} busy={props.busy}>
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
	return (
		<>
			<Button look={props.look ?? 'main'} onClick={() => setOpen(true)}>
				{props.name}
			</Button>
			<FormDialog title={props.title} open={open} onOpenChange={setOpen} action={props.action} bad={props.look === 'bad'} busy={busy} onSubmit={(values) => void submit(values)}>
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
