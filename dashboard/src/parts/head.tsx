// SPDX-License-Identifier: MIT
// The head of a page: its name, a sentence, and what can be done here.
import { useEffect, type ReactNode } from 'react';
import { Link } from 'wouter';
import { HelpLink } from './help';

interface Props {
	title: string;
	text?: ReactNode;
	back?: { to: string; name: string };
	children?: ReactNode;
}

export function Head({ title, text, back, children }: Props) {
	useEffect(() => {
		document.title = `${title} · Posthouse`;
	}, [title]);
	return (
		<header className="head">
			<div className="head-words">
				{back && (
					<Link className="back" to={back.to}>
						← {back.name}
					</Link>
				)}
				<div className="head-title">
					<h1>{title}</h1>
					<HelpLink />
				</div>
				{text && <p className="soft">{text}</p>}
			</div>
			{children && <div className="head-actions">{children}</div>}
		</header>
	);
}
