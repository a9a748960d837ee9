// SPDX-License-Identifier: MIT
// Starts: a workflow is begun by hand for one person and for an audience.
export default async function ({ page, call }) {
	const design = { nodes: [{ id: 'hand', type: 'trigger', data: { eventName: 'workflow.started' } }, { id: 'wait', type: 'wait', data: { duration: 1, unit: 'days' } }], edges: [{ source: 'hand', target: 'wait' }] };
	const { workflow_id: id } = await call('POST', '/v1/workflows', { name: 'By hand', status: 'active', design });
	const dialog = page.getByRole('dialog');
	await page.open(`/workflows/${id}/starts`);
	await page.getByText('No starts').waitFor();
	await page.getByRole('button', { name: 'Start…' }).click();
	await dialog.getByLabel('Email address').fill('hand@example.net');
	await dialog.getByRole('button', { name: 'Start…' }).click();
	await page.getByRole('row', { name: '1 person' }).getByText('Done').waitFor();
	await page.getByRole('button', { name: 'Start…' }).click();
	await dialog.getByLabel('For', { exact: true }).selectOption('An audience');
	await dialog.getByRole('button', { name: 'Start…' }).click();
	const row = page.getByRole('row', { name: 'Waiting' });
	await row.getByRole('button', { name: 'Cancel' }).click();
	await dialog.getByRole('button', { name: 'Cancel' }).last().click();
	await page.getByRole('row', { name: 'Cancelled' }).waitFor();
}
