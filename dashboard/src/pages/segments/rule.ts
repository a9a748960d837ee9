// SPDX-License-Identifier: MIT
// The rules of a segment as the API has them, and what each kind of rule may say.
import type { Schemas } from '../../api/client';

export type Value = string | number | boolean;

export interface Group {
	match: 'all' | 'any';
	rules: Node[];
}
export interface Rule {
	property?: string;
	audience?: string;
	topic?: string;
	email?: string;
	event?: string;
	operator: string;
	value?: Value;
	broadcast?: string;
	at_least?: number;
	within_days?: number;
	since?: string | number;
}
export type Node = Group | Rule;

export const kinds = ['property', 'audience', 'topic', 'email', 'event'] as const;
export type Kind = (typeof kinds)[number];

export const operators = {
	property: ['equals', 'not_equals', 'greater_than', 'less_than', 'contains', 'not_contains', 'begins_with', 'ends_with', 'exists', 'not_exists'],
	audience: ['subscribed', 'unsubscribed', 'pending', 'member', 'not_member'],
	topic: ['subscribed', 'not_subscribed'],
	email: ['did', 'did_not'],
	event: ['did', 'did_not'],
} as const satisfies Record<Kind, readonly string[]>;

export const emailWords = ['sent', 'opened', 'clicked', 'bounced'] as const;
export const isGroup = (node: Node): node is Group => 'rules' in node;
export const kindOf = (rule: Rule): Kind => kinds.find((kind) => rule[kind] !== undefined) ?? 'property';
export const hasValue = ({ operator }: Rule) => operator !== 'exists' && operator !== 'not_exists';

/** A rule of this kind to begin with. */
export function begun(kind: Kind, first: string): Rule {
	const rule: Rule = { [kind]: kind === 'email' ? 'opened' : first, operator: operators[kind][0] };
	return kind === 'property' ? { ...rule, value: '' } : rule;
}

export const everybody: Group = { match: 'all', rules: [] };

/** What the service stored, as a group: `match` may be missing. */
export const stored = (rules: Schemas['Segment']['rules']): Group => {
	const { match = 'all', rules: inside = [] } = rules as unknown as Partial<Group>;
	return { match, rules: inside.map((node) => (isGroup(node) ? stored(node as never) : node)) };
};

/** The fields that every person has, for a path; with the type of their values. */
export const ownFields: Partial<Record<string, 'string' | 'number' | 'boolean'>> = {
	'contact.email': 'string',
	'contact.first_name': 'string',
	'contact.last_name': 'string',
	'contact.language': 'string',
	'contact.time_zone': 'string',
	'contact.created': 'number',
	'contact.subscribed': 'boolean',
};

/** A text as a value of a type. */
export function valued(text: string, type: 'string' | 'number' | 'boolean'): Value {
	if (type === 'boolean') return text === 'true';
	return type === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** How many rules there are in a group, and in the groups in it. */
export const ruleCount = (group: Group): number => group.rules.reduce((sum, node) => sum + (isGroup(node) ? ruleCount(node) : 1), 0);

/** Whether each rule says what it is about, so that the service can be asked. */
export const complete = (group: Group): boolean => group.rules.every((node) => (isGroup(node) ? complete(node) : node[kindOf(node)] !== ''));
