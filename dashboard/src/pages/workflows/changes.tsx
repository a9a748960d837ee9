// SPDX-License-Identifier: MIT
// What a drawing changes of the saved version.
import { useState } from 'react';
import { Button } from '../../parts/button';
import { Dialog } from '../../parts/dialog';
import { Icon } from '../../parts/icon';
import { w } from '../../words';
import { designRead } from './design';
import { Differences } from './differences';
import type { DrawingOf } from './history';

export function Changes({ drawing: { design, saved, dirty } }: { drawing: DrawingOf }) {
	const [open, setOpen] = useState(false);
	return (
		<>
			<Button look="quiet" disabled={!dirty} onClick={() => setOpen(true)}>
				<Icon name="audit" />
				{w.workflows.changes}
			</Button>
			<Dialog wide title={w.workflows.changes} open={open} onOpenChange={setOpen}>
				{open && <Differences before={designRead(saved)} after={design} names={[w.workflows.before, w.workflows.after]} />}
			</Dialog>
		</>
	);
}
