// SPDX-License-Identifier: MIT
// The session has ended: the page stays as it is, and the reader signs in again over it.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { linkAsk, sessionNow, sessionQuery, sessionUse } from '../api/session';
import { Button } from '../parts/button';
import { Dialog } from '../parts/dialog';
import { w } from '../words';

const often = 2_000;

export function Ended({ onBack }: { onBack: () => void }) {
	const { user } = sessionUse();
	const data = useQueryClient();
	const ask = useMutation({ mutationFn: () => linkAsk(user.email) });
	// The link is opened in another tab of this browser, or the reader signs in there.
	useEffect(() => {
		const look = async () => {
			const session = await sessionNow().catch(() => null);
			if (!session) return;
			if (session.user.email !== user.email) return location.reload();
			data.setQueryData(sessionQuery.queryKey, session);
			onBack();
			void data.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'session' });
		};
		const timer = setInterval(() => void look(), often);
		return () => clearInterval(timer);
	}, [data, onBack, user.email]);
	return (
		<Dialog title={w.ended.title} open onOpenChange={() => {}}>
			<p>{w.ended.text}</p>
			{ask.data ? (
				<p role="status">{w.ended.sent(user.email)}</p>
			) : (
				<div className="dialog-foot">
					<Button look="main" busy={ask.isPending} onClick={() => ask.mutate()}>
						{w.signin.ask}
					</Button>
				</div>
			)}
			{ask.error && (
				<p className="error" role="alert">
					{ask.error.message}
				</p>
			)}
		</Dialog>
	);
}
