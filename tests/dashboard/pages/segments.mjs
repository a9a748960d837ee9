// SPDX-License-Identifier: MIT
// Segments: one is built of nested rules while the count follows, is frozen, and both are deleted.
export default async function ({ page, call, made }) {
	for (const [name, plan, desks] of [['grace', 'pro', 5], ['edsger', 'pro', 50], ['barbara', 'free', 7]])
		await call('POST', '/v1/people', { email: `${name}@segment.example`, properties: { plan, desks } });
	await page.open('/segments');
	await page.getByRole('link', { name: 'Build a segment' }).click();
	await page.getByRole('textbox', { name: 'Segment' }).fill('Large or free');
	const found = page.getByRole('region', { name: 'Found now' });
	const counts = (people) => found.locator('dd').first().getByText(people, { exact: true }).waitFor();

	await page.getByRole('button', { name: 'Add a rule' }).click();
	const first = page.getByRole('group', { name: 'Rule 1' });
	await first.getByRole('combobox', { name: 'Name of the property' }).fill('contact.email');
	await first.getByRole('combobox', { name: 'Operator' }).selectOption('ends with');
	await first.getByRole('textbox', { name: 'Value' }).fill('@segment.example');
	await counts('3');

	await page.getByRole('button', { name: 'Add a group' }).click();
	const inner = page.getByRole('group', { name: 'Group, level 2' });
	await inner.getByText('No rule: nobody.').waitFor();
	await inner.getByRole('button', { name: 'Add a rule' }).click();
	await inner.getByRole('combobox', { name: 'Name of the property' }).fill('desks');
	await inner.getByRole('combobox', { name: 'Operator' }).selectOption('is greater than');
	await inner.getByRole('combobox', { name: 'Type of the value' }).selectOption('Number');
	await inner.getByRole('textbox', { name: 'Value' }).fill('10');
	await counts('1');
	await found.getByRole('link', { name: 'edsger@segment.example' }).waitFor();
	await inner.getByRole('button', { name: 'Add a rule' }).click();
	const second = inner.getByRole('group', { name: 'Rule 2' });
	await second.getByRole('combobox', { name: 'Name of the property' }).fill('plan');
	await second.getByRole('textbox', { name: 'Value' }).fill('free');
	await counts('2');

	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('heading', { level: 1, name: 'Large or free' }).waitFor();
	await page.getByRole('cell', { name: 'barbara@segment.example' }).waitFor();
	const id = page.url().split('/').pop();
	const { rules } = await call('GET', `/v1/segments/${id}`);
	if (rules.rules[1].match !== 'any' || rules.rules[1].rules[0].value !== 10) throw new Error(`stored: ${JSON.stringify(rules)}`);

	await page.getByRole('button', { name: 'Freeze' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByRole('textbox', { name: 'Segment' }).fill('Then');
	await dialog.getByRole('button', { name: 'Freeze' }).click();
	await page.getByRole('heading', { level: 1, name: 'Then' }).waitFor();
	await page.locator('.card').getByText('Frozen', { exact: false }).first().waitFor();
	await counts('2');
	await call('DELETE', `/v1/segments/${id}`);
	await page.getByRole('button', { name: 'Delete segment' }).click();
	await dialog.getByRole('button', { name: 'Delete segment' }).click();
	await page.waitForURL('**/segments');
	await page.settled();

	// What a stranger would name a segment is text, and a fault has the names of the page.
	await page.open(`/segments/${made.segment}`);
	await page.getByRole('button', { name: 'Add a rule' }).click();
	await page.getByRole('combobox', { name: 'About' }).selectOption('Event');
	await page.getByRole('textbox', { name: 'Event' }).fill('order.placed');
	page.expected.push('/v1/segments/preview');
	await page.getByRole('spinbutton', { name: 'Within days' }).fill('7310');
	await found.getByText('Rules, entry 1, Within days must be 1 to 730.').waitFor();
	page.expected.length = 0;
	await page.getByRole('spinbutton', { name: 'Within days' }).fill('30');
	await counts('1');
}
