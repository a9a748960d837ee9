// SPDX-License-Identifier: MIT
// Takes the pictures of doc/dashboard.md. Usage: screenshots.mjs CHROMIUM FOLDER LINK; LINK signs in to a demo workspace.
import { chromium } from 'playwright-core';

const [, , executablePath, folder, link] = process.argv;
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-proxy-server'] });
const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1120, height: 700 } });
page.setDefaultTimeout(120_000);

const base = new URL('/dashboard', link).href;
async function take(name) {
	await page.locator('h1').first().waitFor();
	const busy = page.locator('.loading, .coming, [aria-busy="true"]');
	while (await busy.count()) await busy.first().waitFor({ state: 'detached' });
	await page.screenshot({ path: `${folder}/dashboard-${name}.png` });
}
const first = (path, text) => page.goto(`${base}${path}`).then(() => page.getByRole('link', { name: text }).first().click());

await page.goto(link);
await page.locator('.chart canvas').waitFor();
await take('overview');
await first('/segments', 'Plan pro, or three orders');
await page.getByRole('region', { name: 'Found now' }).locator('dd').first().waitFor();
await take('segment');
await first('/broadcasts', /^Letter \d+$/);
await page.frameLocator('iframe').locator('.posthouse-heat').first().waitFor();
await take('broadcast');
await first('/templates', 'Welcome');
await page.locator('.code-field').getByRole('textbox').waitFor();
await page.frameLocator('iframe').locator('body > *').first().waitFor();
await take('template');
await page.goto(`${base}/workflows`);
await page.locator('tbody a').first().click();
await page.locator('.react-flow__node').first().waitFor();
await take('workflow');
await browser.close();
