// SPDX-License-Identifier: MIT
// What can be done with a broadcast in the state in which it is.
import type { RefObject } from 'react';
import { useLocation } from 'wouter';
import { changeUse } from '../../api/list';
import { sessionUse } from '../../api/session';
import { Button } from '../../parts/button';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { noticeUse } from '../../parts/notice';
import { seerUse } from '../../parts/seen';
import { workForget } from '../../parts/unsaved';
import { w } from '../../words';
import type { Saver } from './compose';
import { broadcastAct, broadcastDelete, broadcastTest, type Broadcast } from './query';
import { Send } from './send';

type Act = keyof typeof broadcastAct;

/** The acts of each state; all can be tested and duplicated. */
const allowed: Record<string, Act[]> = {
	scheduled: ['unschedule', 'cancel'],
	sending: ['pause', 'cancel'],
	testing: ['pause', 'cancel'],
	paused: ['resume', 'cancel'],
};
const ended = ['draft', 'sent', 'cancelled', 'failed'];

interface Props {
	broadcast: Broadcast;
	saver: RefObject<Saver | null>;
}

export function Actions({ broadcast, saver }: Props) {
	const { id, name, status } = broadcast;
	const [, go] = useLocation();
	const touches = [['broadcast', id], ['broadcasts']];
	const act = changeUse(
		async (which: Act) => {
			// A copy is one of what stands on the screen. The saver has told why there is none.
			try {
				if (which === 'duplicate') await saver.current?.();
			} catch {
				return null;
			}
			return broadcastAct[which](id);
		},
		{
			touches,
			then: (made) => made && made.id !== id && go(`/broadcasts/${made.id}`),
		},
	);
	const remove = changeUse(() => broadcastDelete(id), {
		touches: [['broadcasts']],
		done: w.broadcasts.removed,
		then: () => {
			workForget();
			go('/broadcasts');
		},
	});
	return (
		<>
			{status === 'draft' && <Send broadcast={broadcast} saver={saver} />}
			{(allowed[status] ?? []).map((which) =>
				which === 'cancel' ? (
					<ConfirmButton key={which} name={w.broadcasts.acts.cancel} title={w.broadcasts.cancelTitle(name)} text={w.broadcasts.cancelText} onConfirm={() => act.mutate(which)} />
				) : (
					<Button key={which} busy={act.isPending} onClick={() => act.mutate(which)}>
						{w.broadcasts.acts[which]}
					</Button>
				),
			)}
			<Test broadcast={broadcast} saver={saver} />
			<Button busy={act.isPending} onClick={() => act.mutate('duplicate')}>
				{w.broadcasts.acts.duplicate}
			</Button>
			{ended.includes(status) && <ConfirmButton name={w.broadcasts.remove} title={w.broadcasts.removeTitle(name)} text={w.broadcasts.removeText} onConfirm={() => remove.mutate()} />}
		</>
	);
}

function Test({ broadcast: { id, variants }, saver }: Props) {
	const notice = noticeUse();
	const { user } = sessionUse();
	return (
		<FormButton
			look="plain"
			name={w.broadcasts.test}
			title={w.broadcasts.test}
			action={w.broadcasts.test}
			before={async () => saver.current?.()}
			onSubmit={async (values) => {
				const person = said(values, 'person');
				await broadcastTest(id, {
					to: said(values, 'to').split(/[\s,]+/).filter(Boolean),
					...(person ? { person } : {}),
					...(variants.length ? { variant: Number(said(values, 'variant')) } : {}),
				});
				notice(w.broadcasts.testDone);
			}}
		>
			<Field label={w.broadcasts.testTo} help={w.broadcasts.testHelp} name="to" defaultValue={user.email} required />
			<Values />
			{variants.length > 0 && (
				<Choice label={w.broadcasts.variant} name="variant" options={variants.map((_, index) => ({ value: String(index), name: w.broadcasts.variantNumber(index + 1) }))} />
			)}
		</FormButton>
	);
}

/** The values are first those of the person as whom the preview shows it. */
const Values = () => <Field label={w.broadcasts.testPerson} help={w.broadcasts.testPersonHelp} name="person" type="email" defaultValue={seerUse().seer?.email} />;
