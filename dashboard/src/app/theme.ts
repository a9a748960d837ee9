// SPDX-License-Identifier: MIT
// Light or dark: the reader's choice, else that of the system.
export type Theme = 'system' | 'light' | 'dark';
const key = 'posthouse.theme';

export const themeNow = (): Theme => (localStorage.getItem(key) as Theme | null) ?? 'system';

export function themeApply(theme: Theme = themeNow()) {
	if (theme === 'system') localStorage.removeItem(key);
	else localStorage.setItem(key, theme);
	const dark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
	document.documentElement.dataset.theme = dark ? 'dark' : 'light';
	dispatchEvent(new Event('posthouse-theme'));
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => themeApply());
