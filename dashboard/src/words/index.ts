// SPDX-License-Identifier: MIT
// The wording: one file a language, all of it there.
import type { words as en } from './en';

type Wording<T> = { [K in keyof T]: T[K] extends string ? string : T[K] extends (...args: infer A) => string ? (...args: A) => string : Wording<T[K]> };
export type Words = Wording<typeof en>;
export type Language = 'en' | 'de';

const key = 'posthouse.language';
const files: Record<Language, () => Promise<{ words: Words }>> = { en: () => import('./en'), de: () => import('./de') };

/** The words of the reader's language; there before any page is. */
export let w: Words;

export const languageNow = (): Language =>
	(localStorage.getItem(key) as Language | null) ?? (navigator.language.startsWith('de') ? 'de' : 'en');

export async function wordsLoad() {
	w = (await files[languageNow()]()).words;
	document.documentElement.lang = languageNow();
}

export function languageSet(language: Language) {
	localStorage.setItem(key, language);
	location.reload();
}
