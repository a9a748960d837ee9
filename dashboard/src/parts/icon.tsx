// SPDX-License-Identifier: MIT
// Our icons: lines on a grid of 16, drawn with the colour of the text.
const paths: Record<string, string> = {
	overview: 'M2 13V9m4 4V3m4 10V6m4 7V8',
	email: 'M2 4h12v9H2zM2 4.5l6 5 6-5',
	received: 'M2 8.5h3l1 2h4l1-2h3M2 8.5L4 3h8l2 5.5V13H2zM8 4v4M6.5 6.5L8 8l1.5-1.5',
	stream: 'M2 4c3-2 5 2 8 0s4 0 4 0M2 8c3-2 5 2 8 0s4 0 4 0M2 12c3-2 5 2 8 0s4 0 4 0',
	secret: 'M4 7h8v7H4zM5.5 7V5a2.5 2.5 0 0 1 5 0v2M8 10v1.5',
	domain: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM2 8h12M8 2c2 2 2.6 4 2.6 6S10 12 8 14M8 2C6 4 5.4 6 5.4 8S6 12 8 14',
	template: 'M3 2h10v12H3zM5.5 5h5M5.5 8h5M5.5 11h3',
	form: 'M2.5 2.5h11v11h-11zM5 5.5h6M5 8.5h6M5 11.2h2.5',
	broadcast: 'M2 6v4l8 3.5v-11zM10 5.5c2 0 3 1 3 2.5s-1 2.5-3 2.5M4.5 11l1 3h2',
	people: 'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-3 2-4 4.5-4s4.5 1 4.5 4M11 7a2 2 0 1 0-.6-4M12 9.5c1.7.4 2.5 1.6 2.5 3.5',
	audience: 'M2 4h12M2 8h12M2 12h7',
	segment: 'M2 3h12l-4.5 5.5V13l-3-1.5V8.5z',
	topic: 'M2.5 7V2.5H7l7 7L9.5 14zM5 5h.01',
	workflow: 'M2 2h5v4H2zM9 10h5v4H9zM4.5 6v6H9',
	suppression: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM3.7 3.7l8.6 8.6',
	webhook: 'M6 10L3 13a2.5 2.5 0 0 1-1-3l3-4M10 6l3-3a2.5 2.5 0 0 1 1 3l-3 4M6 10l4-4',
	key: 'M5.5 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM7.7 7.8L14 2M11 5l2 2',
	user: 'M8 7.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.5 14.5c0-3.5 2.5-5 5.5-5s5.5 1.5 5.5 5',
	session: 'M2 3h12v8H2zM5.5 14h5',
	audit: 'M4 2h6l3 3v9H4zM6.5 8h4M6.5 11h4',
	settings: 'M2 4.5h7M12 4.5h2M2 11.5h2M7 11.5h7M10.5 6.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM5.5 13.2a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4z',
	trigger: 'M9 1.5L3.5 9H8l-1 5.5L12.5 7H8z',
	wait: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 4.5V8l2.5 2',
	wait_for_event: 'M3 2h10M3 14h10M4.5 2c0 4 7 8 7 12M11.5 2c0 4-7 8-7 12',
	condition: 'M8 2l6 6-6 6-6-6z',
	update_contact: 'M3 13l.7-3L11 2.7l2.3 2.3L6 12.3z',
	split: 'M8 2v4M8 6L3.5 10v4M8 6l4.5 4v4',
	digest: 'M2 3h12M4 7h8M6 11h4M8 11v3',
	request: 'M2 8h9M8 4.5L11.5 8 8 11.5M13.5 3v10',
	delete_contact: 'M6 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zM1.5 13.5c0-3 2-4 4.5-4s4.5 1 4.5 4M11 5h4',
	exit: 'M4 4h8v8H4z',
	plus: 'M8 3v10M3 8h10',
	minus: 'M3 8h10',
	whole: 'M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4',
	undo: 'M6 3L2.5 6.5 6 10M2.5 6.5H10a3.5 3.5 0 0 1 0 7H6',
	redo: 'M10 3l3.5 3.5L10 10M13.5 6.5H6a3.5 3.5 0 0 0 0 7h4',
	menu: 'M2 4h12M2 8h12M2 12h12',
	close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
	copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
	check: 'M3 8.5l3.5 3.5L13 4.5',
	search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7L14 14',
	down: 'M4 6l4 4 4-4',
	help: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM6 6.2c0-2.6 4-2.6 4 0 0 1.4-2 1.5-2 3M8 11.4h.01',
	warn: 'M8 2l6.5 11.5h-13zM8 6.5v3.5M8 12h.01',
};

export function Icon({ name }: { name: string }) {
	return (
		<svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
			<path d={paths[name]} />
		</svg>
	);
}
