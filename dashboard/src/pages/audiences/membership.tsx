// SPDX-License-Identifier: MIT
// What can be done with a person in an audience: asked again to confirm, unsubscribed there, subscribed again, taken out.
import { useQueryClient } from '@tanstack/react-query';
import { changeUse } from '../../api/list';
import { Button } from '../../parts/button';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { noticeUse } from '../../parts/notice';
import { w } from '../../words';
import { contactChange, contactConfirm, contactDelete, type ContactStatus } from './query';

interface Props {
	audience: string;
	contact: string;
	email: string;
	status: ContactStatus;
}

const touchesOf = ({ audience, email }: Props) => [['person', email], ['history', email], ['audiences'], ['audience', audience], ['contacts']];

export function Membership(props: Props) {
	const { audience, contact, email, status } = props;
	const touches = touchesOf(props);
	const take = changeUse(() => contactDelete(audience, contact), { touches, done: w.audiences.taken });
	const leave = changeUse(() => contactChange(audience, contact, { is_subscribed: false }), { touches, done: w.people.saved });
	const ask = changeUse(() => contactConfirm(audience, contact), { touches, done: w.audiences.asked });
	return (
		<>
			{status === 'pending' && (
				<Button look="quiet" busy={ask.isPending} onClick={() => ask.mutate()}>
					{w.audiences.ask}
				</Button>
			)}
			{status === 'subscribed' && <ConfirmButton quiet name={w.audiences.leave} title={w.audiences.leaveTitle(email)} text={w.audiences.leaveText} onConfirm={() => leave.mutate()} />}
			{status === 'unsubscribed' && <Join {...props} />}
			<ConfirmButton quiet name={w.audiences.take} title={w.audiences.takeTitle(email)} text={w.audiences.takeText} onConfirm={() => take.mutate()} />
		</>
	);
}

/** Who left in person comes back with a reason alone: the service refuses it else, and its sentence is shown. */
function Join(props: Props) {
	const data = useQueryClient();
	const notice = noticeUse();
	const join = async (values: FormData) => {
		const why = said(values, 'why');
		await contactChange(props.audience, props.contact, { is_subscribed: true, ...(why ? { override: why } : {}) });
		for (const queryKey of touchesOf(props)) void data.invalidateQueries({ queryKey });
		notice(w.people.saved);
	};
	return (
		<FormButton look="quiet" name={w.audiences.join} title={w.audiences.joinTitle(props.email)} action={w.audiences.join} onSubmit={join}>
			<p>{w.audiences.joinText}</p>
			<Field label={w.people.why} help={w.people.whyHelp} name="why" maxLength={500} />
		</FormButton>
	);
}
