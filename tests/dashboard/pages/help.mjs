// SPDX-License-Identifier: MIT
// Help: a page leads to its part of the manual, documents to one another, and the palette to all of them.
export default async function ({ page, fault }) {
	await page.open('/broadcasts');
	await page.getByRole('link', { name: 'Help for this page' }).click();
	await page.waitForURL('**/help/broadcasts');
	await page.getByRole('heading', { name: 'Who gets it', level: 2 }).waitFor();
	const links = await page.locator('.manual a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
	if (!links.length || links.some((to) => !/^\/dashboard\/help\/[a-z]+$/.test(to))) fault('help', `links to ${links}`);
	await page.locator('.manual').getByRole('link', { name: 'doc/templates.md' }).click();
	await page.waitForURL('**/help/templates');
	await page.getByRole('heading', { name: 'Filters' }).waitFor();

	await page.open('/people/import');
	await page.getByRole('link', { name: 'Help for this page' }).click();
	await page.waitForURL('**/help/dashboard#import');
	await page.locator('#import').waitFor();
	await page.until(() => Math.abs(document.querySelector('#import').getBoundingClientRect().top) < innerHeight);

	await page.keyboard.press('Control+k');
	await page.getByPlaceholder('A page, an address, an id of an email').fill('designs of');
	await page.getByRole('option', { name: 'Designs of workflows' }).click();
	await page.getByText('wait_for_event', { exact: true }).first().waitFor();
	// Each document has its text, and nothing of the marks with which it is written.
	for (const name of ['dashboard', 'templates', 'broadcasts', 'workflow', 'relays']) {
		await page.open(`/help/${name}`);
		const text = await page.locator('.manual').evaluate((manual) => {
			for (const code of manual.querySelectorAll('code, pre')) code.remove();
			return manual.textContent;
		});
		const left = /`|\*\*|!\[|\]\(|^\.[A-Z][a-z] |\\e/m.exec(text);
		if (left) fault('help', `${name}: ${text.slice(left.index - 20, left.index + 40)}`);
		if (text.length < 1000) fault('help', `${name} has ${text.length} characters`);
	}
}
