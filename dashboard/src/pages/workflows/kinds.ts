// SPDX-License-Identifier: MIT
// The types of nodes in words.
import { w } from '../../words';
import { isKind, isObject, type Data, type Step } from './design';

export const kindName = (type: string | undefined) => (isKind(type) ? w.workflows.kind[type] : (type ?? w.workflows.unknownKind));

export const kindIcon = (type: string | undefined) => (type === 'send_email' ? 'email' : isKind(type) ? type : 'warn');

/** The name of a node: its label, else that of its type. */
export const stepName = ({ type, data }: Pick<Step, 'type' | 'data'>) => (typeof data.label === 'string' && data.label ? data.label : kindName(type));

/** The name of a node with its id where that tells more. */
export const stepNameOf = (nodes: Step[], id: string) => {
	const node = nodes.find((node) => node.id === id);
	return node ? `${stepName(node)} (${id})` : id;
};

export const wayName = (way: string | null) => (way === null ? w.workflows.next : ((w.workflows.way as Record<string, string>)[way] ?? way));

const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

export const timeoutText = durationText;

function durationText(data: unknown) {
	if (!isObject(data) || !data.duration) return '';
	const span = (w.workflows.span as Record<string, ((n: number) => string) | undefined>)[text(data.unit)];
	return span && typeof data.duration === 'number' ? span(data.duration) : `${text(data.duration)} ${text(data.unit)}`;
}

/** Rules on one line. */
export function rulesText(rules: unknown): string {
	if (!isObject(rules) || !Array.isArray(rules.rules)) return '';
	const parts = rules.rules.filter(isObject).map((rule) => {
		if (Array.isArray(rule.rules)) return `(${rulesText(rule)})`;
		const operator = (w.workflows.operator as Record<string, string>)[text(rule.operator)] ?? text(rule.operator);
		return [text(rule.property), operator, 'value' in rule ? JSON.stringify(rule.value) : ''].filter(Boolean).join(' ');
	});
	return parts.join(rules.match === 'any' ? ` ${w.workflows.or} ` : ` ${w.workflows.and} `);
}

/** What a node does, on one line. */
export function stepText({ type, data }: { type?: string; data: Data }, templateName = (id: string) => id): string {
	if (type === 'trigger') return text(data.eventName);
	if (type === 'send_email') return text(data.subject) || (text(data.templateId) && templateName(text(data.templateId))) || (isObject(data.template) ? text(data.template.id) : '');
	if (type === 'wait' || type === 'digest') return [text(data.until) || text(data.time), durationText(data.before ?? data.after ?? data)].filter(Boolean).join(', ');
	if (type === 'request') return [text(data.method) || 'POST', text(data.url)].join(' ');
	if (type === 'wait_for_event') return [text(data.eventName), durationText(data.timeout)].filter(Boolean).join(', ');
	if (type === 'condition') return rulesText(data);
	if (type === 'update_contact') return [...Object.keys(isObject(data.set) ? data.set : {}), ...Object.keys(isObject(data.copy) ? data.copy : {})].join(', ');
	if (type === 'split') return isObject(data.weights) ? Object.entries(data.weights).map(([way, weight]) => `${way} ${text(weight)}`).join(', ') : '';
	return '';
}
