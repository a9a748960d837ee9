// SPDX-License-Identifier: MIT
// Signing in: by the token behind # in a link, else by a link that is asked for.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { Failure } from '../api/client';
import { linkAsk, sessionNow, sessionQuery, signIn } from '../api/session';
import { Button } from '../parts/button';
import { Field, said } from '../parts/field';
import { w } from '../words';

export function SignIn() {
	const [token, setToken] = useState(() => location.hash.slice(1));
	useEffect(() => {
		document.title = `${w.signin.title} · Posthouse`;
		// The token is good once; it does not stay in the history.
		history.replaceState(history.state, '', location.pathname + location.search);
		// A link opened in a tab that shows this page changes the hash alone.
		const take = () => location.hash && setToken(location.hash.slice(1));
		addEventListener('hashchange', take);
		return () => removeEventListener('hashchange', take);
	}, []);
	return (
		<main className="signin">
			<img src="/dashboard/assets/icon.svg" width="40" height="40" alt="" />
			<h1>{w.signin.title}</h1>
			{token ? <ByToken key={token} token={token} onOther={() => setToken('')} /> : <ByAddress />}
		</main>
	);
}

const key = 'posthouse.next';
const kept = 3_600_000;

/** Keeps where the reader wants to go until the link of the mail is opened. */
const nextKeep = (next: string) => localStorage.setItem(key, JSON.stringify({ next, at: Date.now() }));

function nextKept() {
	try {
		const { next, at } = JSON.parse(localStorage.getItem(key) ?? '{}') as { next?: unknown; at?: unknown };
		return typeof next === 'string' && Date.now() - Number(at) < kept ? next : null;
	} catch {
		return null;
	}
}

/** Only a path of the dashboard itself is gone to. */
function nextPath() {
	const next = new URLSearchParams(location.search).get('next') ?? nextKept() ?? '/';
	return /^\/(?!\/|\\|signin)/.test(next) ? next : '/';
}

function ByToken({ token, onOther }: { token: string; onOther: () => void }) {
	const data = useQueryClient();
	const [, go] = useLocation();
	const attempt = useMutation({
		// A link that was used already leads in who is signed in by it.
		mutationFn: () => signIn(token).catch((why: unknown) => sessionNow().catch(() => Promise.reject(why))),
		onSuccess: (session) => {
			const next = nextPath();
			localStorage.removeItem(key);
			data.clear();
			data.setQueryData(sessionQuery.queryKey, session);
			go(next, { replace: true });
		},
	});
	const { mutate, isIdle } = attempt;
	useEffect(() => {
		if (isIdle) mutate();
	}, [mutate, isIdle]);
	if (!attempt.error) return <p role="status">{w.signin.going}</p>;
	const code = attempt.error instanceof Failure ? attempt.error.code : undefined;
	return (
		<>
			<p className="error" role="alert">
				{code === 'link_invalid' ? w.signin.linkInvalid : code === 'link_browser' ? w.signin.linkBrowser : attempt.error.message}
			</p>
			<Button look="main" onClick={onOther}>
				{w.signin.other}
			</Button>
		</>
	);
}

function ByAddress() {
	const ask = useMutation({ mutationFn: linkAsk });
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		nextKeep(nextPath());
		ask.mutate(said(new FormData(event.currentTarget), 'email'));
	};
	if (ask.data) return <p role="status">{w.signin.sent}</p>;
	return (
		<form className="stack" onSubmit={submit}>
			<p className="soft">{w.signin.text}</p>
			<Field label={w.signin.email} name="email" type="email" autoComplete="email" autoFocus required />
			{ask.error && (
				<p className="error" role="alert">
					{ask.error.message}
				</p>
			)}
			<Button type="submit" look="main" busy={ask.isPending}>
				{w.signin.ask}
			</Button>
			<p className="help">
				{w.signin.terminal} <code>posthouse user link EMAIL</code>
			</p>
		</form>
	);
}
