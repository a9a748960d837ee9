// SPDX-License-Identifier: MIT
// Starts the dashboard once its words and the rest are there.
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import { wordsLoad } from './words';
import { themeApply } from './app/theme';

// After an upgrade the files that this page would load are gone: it is loaded anew, but not again and again.
addEventListener('vite:preloadError', (event) => {
	const key = 'posthouse.reloaded';
	if (Date.now() - Number(sessionStorage.getItem(key)) < 60_000) return;
	event.preventDefault();
	sessionStorage.setItem(key, String(Date.now()));
	location.reload();
});

themeApply();
const [{ start }] = await Promise.all([import('./app/start'), wordsLoad()]);
start(document.getElementById('root')!);
