// SPDX-License-Identifier: MIT
// An email's html, as its reader would see it. The frame may run no script, open no window and send no form; its own
// Content-Security-Policy lets it load nothing, or pictures alone.
import { useRef, useState, useEffect } from 'react';
import { w } from '../words';
import { Button } from './button';

interface Props {
	html: string;
	width?: number;
	/** As a reader with a dark screen sees it. */
	dark?: boolean;
	/** Marks what stands in the email, once it is there. */
	decorate?: (body: HTMLElement) => void;
}

export function MailFrame({ html, width, dark, decorate }: Props) {
	const [images, setImages] = useState(false);
	const [ready, setReady] = useState(0);
	const frame = useRef<HTMLIFrameElement>(null);
	useEffect(() => {
		const inside = frame.current?.contentDocument;
		if (!ready || !inside?.body) return;
		const parsed = inside.createElement('template');
		parsed.innerHTML = withoutHandlers(html);
		withoutActive(parsed.content);
		if (!images) withoutRemote(parsed.content);
		inside.body.replaceChildren(parsed.content);
		inside.documentElement.style.colorScheme = dark ? 'dark' : '';
		decorate?.(inside.body);
	}, [html, ready, images, dark, decorate]);
	return (
		<div className={dark ? 'mail-frame dark' : 'mail-frame'}>
			{!images && (
				<p className="bar">
					<span className="soft">{w.mail.imagesOff}</span>
					<Button look="quiet" onClick={() => setImages(true)}>
						{w.mail.imagesShow}
					</Button>
				</p>
			)}
			<iframe
				key={String(images)}
				ref={frame}
				title={w.mail.frame}
				sandbox="allow-same-origin"
				referrerPolicy="no-referrer"
				src={`/dashboard/frame/${images ? 'images' : 'plain'}.html`}
				width={width}
				onLoad={() => setReady((count) => count + 1)}
			/>
		</div>
	);
}

// The frame would not run or load these anyhow. Without them the browser has nothing to complain about.

const tags = /<[a-z](?:[^<>"']|"[^"]{0,9999}"|'[^']{0,9999}')*>/gi;
const attributes = /([^\s"'<>/=]+)(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?/g;

/** Chromium complains of a handler as soon as it reads it, in whatever document, so it goes before. */
const withoutHandlers = (html: string) => html.replace(tags, (tag) => tag.replace(attributes, (whole, name: string, at: number) => (at > 1 && /^on/i.test(name) ? '' : whole)));

function withoutActive(content: DocumentFragment) {
	for (const element of content.querySelectorAll('link, script, iframe, object, embed, meta, base')) element.remove();
}

function withoutRemote(content: DocumentFragment) {
	for (const name of ['src', 'srcset', 'background', 'poster'])
		for (const element of content.querySelectorAll(`[${name}]`))
			if (!element.getAttribute(name)!.startsWith('data:')) element.removeAttribute(name);
}
