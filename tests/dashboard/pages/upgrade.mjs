// SPDX-License-Identifier: MIT
// After an upgrade the files of an open page are gone: it loads itself anew once. Where they stay away, it says so.
export default async function ({ page, fault }) {
	const [failed, goes] = ['**/dashboard/assets/*/*-page.js', '**/dashboard/**'];
	let loads = 0;
	const afterUpgrade = (route) => {
		if (route.request().isNavigationRequest()) loads++;
		const gone = !loads && /-page\.js/.test(route.request().url());
		return gone ? route.fulfill({ status: 404 }) : route.continue();
	};
	await page.open('/audiences');
	page.expected.push('/dashboard/assets/', 'dynamically imported module', 'lazy', 'preload');
	await page.route(goes, afterUpgrade);
	await page.getByRole('link', { name: 'Domains' }).click();
	await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
	await page.settled();
	if (loads !== 1) fault('upgrade', `the page was loaded ${loads} times`);
	await page.unroute(goes, afterUpgrade);

	await page.route(failed, (route) => route.fulfill({ status: 404 }));
	await page.getByRole('link', { name: 'Topics' }).click();
	await page.getByText('This could not be loaded.').waitFor();
	await page.unroute(failed);
	await page.getByRole('button', { name: 'Try again' }).click();
	await page.getByRole('heading', { level: 1, name: 'Topics' }).waitFor();
	await page.settled();
	page.expected.length = 0;
}
