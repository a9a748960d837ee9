// SPDX-License-Identifier: MIT
// Settings: the workspace gets another name, which the audit shows.
export default async function ({ page }) {
	await page.open('/settings');
	await page.getByLabel('Name').fill('Renamed');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	await page.getByRole('button', { name: 'Workspace: Renamed' }).waitFor();
	await page.open('/audit?action=workspace.changed');
	await page.getByRole('cell', { name: 'workspace.changed' }).first().waitFor();
}
