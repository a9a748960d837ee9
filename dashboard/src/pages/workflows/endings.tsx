// SPDX-License-Identifier: MIT
// The ends of a journey that its trigger names: a goal, exits, and the hours in which its mailings may leave.
import { Button } from '../../parts/button';
import { Choice } from '../../parts/field';
import { freshWindow, HoursWindows, type Window } from '../../parts/hours-window';
import { Switch } from '../../parts/switch';
import { w } from '../../words';
import { isObject, type Data } from './design';
import { Duration, FilterPart, rulesOf, SegmentPart, shown, TextPart, within, type Parts } from './form-parts';
import { RulesField } from './rules';

const mostConditions = 10;
const freshEvent: Data = { eventName: '' };
const freshRules: Data = { match: 'all', rules: [{ property: '', operator: 'equals', value: '' }] };
const listOf = (value: unknown): Data[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** When the journey has done what it is for. */
export function GoalPart({ data, set }: Parts) {
	const goal = isObject(data.goal) ? data.goal : null;
	const inside = within({ data, set }, 'goal');
	return (
		<>
			<Switch label={w.workflows.goal} help={w.workflows.goalHelp} on={goal !== null} onChange={(on) => set('goal', on ? { any: [freshEvent] } : undefined)} />
			{goal && (
				<>
					<Conditions label={w.workflows.goalIf} conditions={listOf(goal.any)} onChange={(any) => inside.set('any', any)} />
					<Choice
						label={w.workflows.goalWithin}
						value={isObject(goal.within) ? 'yes' : 'no'}
						onChange={(event) => inside.set('within', event.target.value === 'yes' ? { duration: 30, unit: 'days' } : undefined)}
						options={[{ value: 'no', name: w.workflows.goalWhile }, { value: 'yes', name: w.workflows.goalAfter }]}
					/>
					{isObject(goal.within) && <Duration {...within(inside, 'within')} />}
					<Choice
						label={w.workflows.goalThen}
						value={goal.ends === false ? 'no' : 'yes'}
						onChange={(event) => inside.set('ends', event.target.value === 'yes' ? undefined : false)}
						options={[{ value: 'yes', name: w.workflows.goalEnds }, { value: 'no', name: w.workflows.goalStays }]}
					/>
				</>
			)}
		</>
	);
}

/** When the journey has no sense any more. */
export function ExitPart({ data, set }: Parts) {
	const exits = listOf(data.exit);
	return (
		<>
			<Switch label={w.workflows.exits} help={w.workflows.exitsHelp} on={exits.length > 0} onChange={(on) => set('exit', on ? [freshEvent] : undefined)} />
			{exits.length > 0 && <Conditions label={w.workflows.exitIf} conditions={exits} onChange={(all) => set('exit', all.length ? all : undefined)} />}
		</>
	);
}

/** Conditions of which one is enough: events, or rules. */
function Conditions({ label, conditions, onChange }: { label: string; conditions: Data[]; onChange: (conditions: Data[]) => void }) {
	return (
		<div className="stack" role="group" aria-label={label}>
			{conditions.map((condition, index) => (
				<fieldset key={index} className="rules">
					<legend className="hidden">{w.workflows.conditionNumber(index + 1)}</legend>
					<ConditionPart condition={condition} onChange={(next) => onChange(conditions.with(index, next))} />
					{conditions.length > 1 && (
						<div>
							<Button look="quiet" onClick={() => onChange(conditions.toSpliced(index, 1))}>
								{w.workflows.conditionRemove}
							</Button>
						</div>
					)}
				</fieldset>
			))}
			{conditions.length < mostConditions && (
				<div>
					<Button look="quiet" onClick={() => onChange([...conditions, freshEvent])}>
						{w.workflows.conditionAdd}
					</Button>
				</div>
			)}
		</div>
	);
}

function ConditionPart({ condition, onChange }: { condition: Data; onChange: (condition: Data) => void }) {
	const ruled = 'rules' in condition;
	const set = (name: string, value: unknown) => {
		const { [name]: _, ...rest } = condition;
		onChange(value === undefined && name !== 'eventName' ? rest : { ...rest, [name]: value ?? '' });
	};
	const parts = { data: condition, set };
	return (
		<>
			<Choice
				label={w.workflows.conditionKind}
				value={ruled ? 'rules' : 'event'}
				onChange={(event) => onChange(event.target.value === 'rules' ? freshRules : freshEvent)}
				options={[{ value: 'event', name: w.workflows.conditionEvent }, { value: 'rules', name: w.workflows.conditionRules }]}
			/>
			{ruled ? (
				<RulesField label={w.workflows.conditionHolds} rules={rulesOf(condition)} onChange={({ match, rules }) => onChange({ ...condition, match, rules })} />
			) : (
				<>
					<TextPart {...parts} name="eventName" label={w.workflows.eventName} list="own-events" />
					{shown(condition.eventName).startsWith('segment.') && <SegmentPart {...parts} />}
					<FilterPart {...parts} />
				</>
			)}
		</>
	);
}

/** A window of a design, which may be half drawn. */
const windowOf = ({ from, to, days }: Data) => ({ from: shown(from), to: shown(to), ...(Array.isArray(days) ? { days } : {}) }) as Window;

/** The hours of the workflow's own, in place of those of the topic and of the workspace. */
export function HoursPart({ data, set }: Parts) {
	const hours = isObject(data.hours) ? data.hours : null;
	const inside = within({ data, set }, 'hours');
	const windows = listOf(hours?.windows).map(windowOf);
	const now = hours ? 'own' : data.hours === 'any' ? 'any' : '';
	return (
		<>
			<Choice
				label={w.workflows.hours}
				help={w.workflows.hoursHelp}
				value={now}
				onChange={(event) => set('hours', event.target.value === 'own' ? { windows: [freshWindow] } : event.target.value || undefined)}
				options={[{ value: '', name: w.workflows.hoursSettings }, { value: 'any', name: w.workflows.hoursAny }, { value: 'own', name: w.workflows.hoursOwn }]}
			/>
			{hours && (
				<>
					<HoursWindows windows={windows} onChange={(next) => inside.set('windows', next)} />
					<TextPart {...inside} name="zone" label={w.workflows.zone} help={w.workflows.zoneHelp} placeholder="UTC" />
				</>
			)}
		</>
	);
}
