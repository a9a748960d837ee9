// SPDX-License-Identifier: MIT
// What is about to leave: to how many people, who is left out, what it says, and how three of them see it.
import type { UseQueryResult } from '@tanstack/react-query';
import { choicesUse, type ChoiceRow } from '../../api/choices';
import { said } from '../../parts/field';
import { Ready } from '../../parts/state';
import { Tabs } from '../../parts/tabs';
import { numberText } from '../../parts/time';
import { w } from '../../words';
import { Findings } from './check';
import { AsSeen, contentsOf, type Content } from './preview';
import type { Broadcast, ReviewOf } from './query';

/** Above so many people, the number is typed. */
const many = 1000;

/** What the sender types before so much leaves: the number of people, or the name where nobody could count them. */
export function typedUse({ name }: Broadcast, recipients: number | null | undefined) {
	const number = recipients && recipients > many ? recipients : 0;
	const wanted = number ? w.broadcasts.typeNumber(numberText(number)) : recipients === null ? w.broadcasts.typeName(name) : '';
	return {
		number,
		wanted,
		check(values: FormData) {
			const typed = said(values, 'typed');
			if (number ? typed.replace(/\D/g, '') !== String(number) : wanted && typed !== name) throw new Error(w.broadcasts.typedOther);
		},
	};
}

interface Props {
	broadcast: Broadcast;
	asked: UseQueryResult<ReviewOf>;
	leaves: string;
}

export function Review({ broadcast, asked, leaves }: Props) {
	const audiences = choicesUse('audiences');
	const segments = choicesUse('segments');
	const topics = choicesUse('topics');
	const contents = contentsOf(broadcast);
	return (
		<div className="review">
			<Ready of={asked}>
				{({ report, named, reachable }) => (
					<>
						<dl className="facts">
							<dt>{w.broadcasts.recipients}</dt>
							<dd>
								<strong>{report.recipients === null ? w.broadcasts.uncounted : w.broadcasts.people(report.recipients)}</strong>
								<LeftOut named={named} reachable={reachable} recipients={report.recipients} />
							</dd>
							<dt>{w.broadcasts.audiences}</dt>
							<dd>{names(broadcast.audiences, audiences)}</dd>
							<dt>{w.broadcasts.segments}</dt>
							<dd>{names(broadcast.segments, segments)}</dd>
							{broadcast.exclude_segments.length > 0 && (
								<>
									<dt>{w.broadcasts.excluded}</dt>
									<dd>{names(broadcast.exclude_segments, segments)}</dd>
								</>
							)}
							{broadcast.topic_id && (
								<>
									<dt>{w.broadcasts.topic}</dt>
									<dd>{names([broadcast.topic_id], topics)}</dd>
								</>
							)}
							<dt>{w.broadcasts.from}</dt>
							<dd>{broadcast.from ?? '–'}</dd>
							<dt>{w.broadcasts.subject}</dt>
							<dd>{contents.map(({ subject }) => subject ?? '–').join(' · ')}</dd>
							<dt>{w.broadcasts.previewText}</dt>
							<dd>{broadcast.preview_text ?? '–'}</dd>
							<dt>{w.broadcasts.leaves}</dt>
							<dd>{leaves}</dd>
						</dl>
						{!report.ok && (
							<p className="error" role="alert">
								{w.broadcasts.notOk}
							</p>
						)}
						<Findings of={report.findings} />
					</>
				)}
			</Ready>
			{asked.data && <Seen people={asked.data.people} contents={contents} />}
		</div>
	);
}

const names = (ids: string[], rows: ChoiceRow[]) => ids.map((id) => rows.find((row) => row.id === id)?.name ?? id).join(', ') || '–';

/** How many of those who are named get nothing, and why. */
function LeftOut({ named, reachable, recipients }: { named: number | null; reachable: number | null; recipients: number | null }) {
	if (named === null || reachable === null || recipients === null || named <= recipients) return null;
	const chose = Math.max(0, reachable - recipients);
	const never = named - recipients - chose;
	return (
		<ul className="plain-list soft">
			{never > 0 && <li>{w.broadcasts.leftOut(never)}</li>}
			{chose > 0 && <li>{w.broadcasts.leftOutHere(chose)}</li>}
		</ul>
	);
}

/** Some real people with what each gets; variants take turns. */
function Seen({ people, contents }: { people: ReviewOf['people']; contents: Content[] }) {
	if (!people.length) return null;
	return (
		<Tabs
			label={w.broadcasts.asSeen}
			tabs={people.map((person, index) => ({ id: person.email, name: person.email, content: <AsSeen person={person} of={contents[index % contents.length]} note={contents.length > 1 ? contents[index % contents.length].name : undefined} /> }))}
		/>
	);
}
