// SPDX-License-Identifier: MIT
// Which page of the manual tells about a page of the dashboard, and the link to it.
import { Link, useLocation } from 'wouter';
import { w } from '../words';
import { Icon } from './icon';

export const documents = ['dashboard', 'templates', 'broadcasts', 'workflow', 'relays'] as const;
export type DocumentName = (typeof documents)[number];

const about: Record<string, string> = {
	'': 'dashboard#pages',
	templates: 'templates',
	broadcasts: 'broadcasts',
	workflows: 'workflow',
	domains: 'relays',
	segments: 'dashboard#segments',
	sessions: 'dashboard#open-it',
	users: 'dashboard#open-it',
};

/** The place in the manual for a path of the dashboard; of help itself there is none. */
function placeOf(path: string) {
	const [, first, second] = path.split('/');
	if (first === 'help' || first === 'signin') return undefined;
	if (second === 'import') return 'dashboard#import';
	return about[first] ?? 'dashboard#pages';
}

export function HelpLink() {
	const [path] = useLocation();
	const place = placeOf(path);
	if (!place) return null;
	return (
		<Link className="icon-button" to={`/help/${place}`} aria-label={w.help.here} title={w.help.here}>
			<Icon name="help" />
		</Link>
	);
}
