// SPDX-License-Identifier: MIT
// The files that each message of a broadcast has: those that are stored, and those that go with the next save.
import { Failure } from '../../api/client';
import { useId } from 'react';
import { Button } from '../../parts/button';
import { w } from '../../words';
import type { Broadcast, BroadcastBody } from './query';

type Stored = Broadcast['attachments'][number];

/** A stored one, which stays by its id, or a file of the reader's. */
export type Attachment = Stored | { file: File };

const most = 10;
const mostBytes = 10 * 1024 * 1024;

const nameOf = (one: Attachment) => ('file' in one ? one.file.name : one.filename);
const sizeOf = (one: Attachment) => ('file' in one ? one.file.size : one.size);

/** The reason why the service would not take these; null: none. */
function faultOf(all: Attachment[]): string | null {
	if (all.length > most) return w.broadcasts.attachmentsMany(most);
	return all.reduce((sum, one) => sum + sizeOf(one), 0) > mostBytes ? w.broadcasts.attachmentsLarge : null;
}

/** Whether a sentence of the service is about attachments. */
export const isOfAttachments = (why: unknown) => why instanceof Failure && /\battachments\b/.test((why.answer as { message?: string } | null)?.message ?? '');

interface Props {
	all: Attachment[];
	/** Why they are not as the reader wants them; null: they are. */
	fault: string | null;
	may: boolean;
	onChange: (all: Attachment[], fault: string | null) => void;
}

export function Attachments({ all, fault, may, onChange }: Props) {
	const id = useId();
	const add = (files: File[]) => {
		const next = [...all, ...files.map((file) => ({ file }))];
		const why = faultOf(next);
		onChange(why ? all : next, why);
	};
	return (
		<div className="field" role="group" aria-labelledby={`${id}-label`}>
			<label id={`${id}-label`} htmlFor={may ? id : undefined} className="label">
				{w.broadcasts.attachments}
			</label>
			{all.length > 0 && (
				<ul className="plain-list">
					{all.map((one, index) => (
						<li key={'file' in one ? `new ${index}` : one.id} className="row">
							<span>{nameOf(one)}</span> <span className="soft">{w.broadcasts.bytes(sizeOf(one))}</span>
							{'content_id' in one && one.content_id && <code>cid:{one.content_id}</code>}
							{may && (
								<Button look="quiet" aria-label={w.broadcasts.attachmentRemove(nameOf(one))} onClick={() => onChange(all.filter((_, at) => at !== index), null)}>
									{w.do.remove}
								</Button>
							)}
						</li>
					))}
				</ul>
			)}
			{may && (
				<input
					id={id}
					type="file"
					multiple
					aria-describedby={`${id}-help`}
					aria-invalid={fault !== null}
					onChange={({ target }) => {
						add([...(target.files ?? [])]);
						target.value = ''; // the same file may be chosen again
					}}
				/>
			)}
			{fault && (
				<p className="error" role="alert">
					{fault}
				</p>
			)}
			<p className="help" id={`${id}-help`}>
				{w.broadcasts.attachmentsHelp}
			</p>
		</div>
	);
}

/** The content of a file in base64. */
function contentOf(file: File): Promise<string> {
	return new Promise((done, failed) => {
		const reader = new FileReader();
		reader.onload = () => done(String(reader.result).replace(/^[^,]*,?/, ''));
		reader.onerror = () => failed(new Error(w.broadcasts.attachmentUnread(file.name)));
		reader.readAsDataURL(file);
	});
}

/** The attachments as the API takes them. */
export const asAttachments = (all: Attachment[]): Promise<NonNullable<BroadcastBody['attachments']>> =>
	Promise.all(
		all.map(async (one) => ('file' in one ? { filename: one.file.name, content: await contentOf(one.file), ...(one.file.type ? { content_type: one.file.type } : {}) } : { id: one.id })),
	);
