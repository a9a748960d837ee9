// SPDX-License-Identifier: MIT
// The first steps, which go once all are done, so this page comes first: demo data is put in by one button, and taken out by another.
export default async function ({ page, call }) {
	const called = async () => {
		const lists = await Promise.all(['broadcasts', 'workflows', 'segments', 'audiences', 'topics', 'templates'].map(async (noun) => (await call('GET', `/v1/${noun}`))[noun]));
		return lists.flat().filter(({ name }) => name === 'Demo').length;
	};
	const own = await Promise.all([call('POST', '/v1/topics', { name: 'Demo' }), call('POST', '/v1/audiences', { name: 'Demo' }), call('POST', '/v1/segments', { name: 'Demo', rules: { match: 'all', rules: [] } })]);
	await page.open('/');
	const steps = page.getByRole('region', { name: 'First steps' });
	await steps.getByRole('button', { name: 'Fill with demo data' }).click();
	await steps.getByText('This workspace has demo data').waitFor();
	if ((await called()) !== 6 + own.length) throw new Error(`${await called()} things are called Demo`);
	await call('GET', '/v1/people/delivered+demo-ada@test.posthouse.invalid');
	await steps.getByRole('button', { name: 'Remove the demo data' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Remove the demo data' }).click();
	await steps.getByRole('button', { name: 'Fill with demo data' }).waitFor();
	if ((await called()) !== own.length) throw new Error('demo data stays, or takes what is the user\'s own along');
	const [topic, audience, segment] = own;
	await call('DELETE', `/v1/topics/${topic.id}`);
	await call('DELETE', `/v1/audiences/${audience.id}`);
	await call('DELETE', `/v1/segments/${segment.id}`);
}
